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
const RUN = `windrow run <pipeline>

Examples:
  windrow run my.yaml  once`;
const STATUS = `windrow status

Examples:
  windrow status --data data/demo  tables and coverage`;
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
    'Unknown argument: keep',
    QUERY,
    ['query', '--keep'],
    'There is no option --keep here. Allowed here: --help, --max-rows, --file.',
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
  [
    'Unknown argument: b',
    QUERY,
    ['query', 'a', 'b'],
    'Unexpected argument b. Put the whole SELECT in quotes, as one argument. See windrow query --help.',
  ],
  [
    'Unknown argument: b.yaml',
    RUN,
    ['run', 'a.yaml', 'b.yaml'],
    'Unexpected argument b.yaml. run takes one pipeline file: use the verb once for each file. ' +
      'See windrow run --help.',
  ],
  [
    'Unknown argument: data/demo',
    STATUS,
    ['status', 'data/demo'],
    'Unexpected argument data/demo. windrow status takes no path here: --data names a data root. ' +
      'See windrow status --help.',
  ],
  [
    'Unknown argument: addresses.csv',
    TOP,
    ['addresses.csv'],
    'There is no verb addresses.csv. An address list belongs to a pipeline: ' +
      'windrow run PIPELINE --addresses addresses.csv.',
  ],
  [
    'Unknown argument: my.yaml',
    TOP,
    ['my.yaml'],
    'There is no verb my.yaml. Name the verb first: windrow run my.yaml.',
  ],
  [
    'Unknown argument: ./runs',
    TOP,
    ['./runs'],
    'There is no verb ./runs. Name a verb first: plan, query, quarantine.',
  ],
  ['Name a verb.', TOP, [], 'Name a verb. See windrow --help.'],
])('%s', (message, help, line, expected) => {
  const fault = usageFault(message, help, line);
  expect(fault.paragraph()).toBe(expected);
  expect(fault.exitCode).toBe(2);
});
