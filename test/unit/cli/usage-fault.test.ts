import { expect, it } from 'vitest';
import { usageFault } from '../../../src/cli/usage-fault.ts';

const TOP = `windrow <verb>

Commands:
  windrow plan <pipeline>    Print what a run would fetch
  windrow query [sql]        Answer one SELECT
  windrow quarantine <action> [id..]  List

Options:
      --help     Show help  [boolean]
      --json     Print results as JSON  [boolean]`;
const QUERY = `windrow query [sql]

Options:
      --help      Show help  [boolean]
      --max-rows  Rows at most  [string]
  -f, --file      File that holds the SELECT, or --stdin  [string]`;

it.each([
  ['Unknown argument: qurey', TOP, ['qurey'], 'There is no verb qurey. Did you mean query?'],
  [
    'Unknown arguments: max-row, maxRow',
    QUERY,
    ['query', 'x', '--max-row', '3'],
    'There is no option --max-row here. Did you mean --max-rows?',
  ],
  [
    'Unknown argument: flie',
    QUERY,
    ['query', '--flie=a'],
    'There is no option --flie here. Did you mean --file?',
  ],
  [
    'Unknown argument: xyzzyplugh',
    TOP,
    ['xyzzyplugh'],
    'There is no verb xyzzyplugh. Allowed here: plan, query, quarantine.',
  ],
  [
    'Unknown argument: colour',
    QUERY,
    ['query', '--colour'],
    'There is no option --colour here. Allowed here: --help, --max-rows, --file.',
  ],
  ['Unknown argument: b', QUERY, ['query', 'a', 'b'], 'Unknown argument: b. See windrow --help.'],
  ['Name a verb.', TOP, [], 'Name a verb. See windrow --help.'],
])('%s', (message, help, line, expected) => {
  const fault = usageFault(message, help, line);
  expect(fault.paragraph()).toBe(expected);
  expect(fault.exitCode).toBe(2);
});
