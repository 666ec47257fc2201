import { expect, it } from 'vitest';
import { textOption } from '../../../src/cli/terminal/options.ts';
import { usageFault, withoutValue } from '../../../src/cli/usage-fault.ts';

const VERBS = ['plan', 'query', 'quarantine'];
const RUN = { command: 'run <pipeline>', options: { pipeline: textOption('A pipeline file') } };
const LINK = { command: 'link <from> <to> [more..]', options: {} };
const QUARANTINE = { command: 'quarantine <action> [id..]', options: {} };
const QUERY = {
  command: 'query [sql]',
  options: {
    sql: textOption('SQL'),
    maxRows: textOption('Rows at most'),
    file: textOption('File, or --stdin'),
  },
};

it.each([
  ['Unknown argument: qurey', undefined, ['qurey'], 'There is no verb qurey. Did you mean query?'],
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
    'There is no option --keep here. Allowed here: --help, --json, --version, --max-rows, --file.',
  ],
  [
    'Unknown argument: xyzzyplugh',
    undefined,
    ['xyzzyplugh'],
    'There is no verb xyzzyplugh. Allowed here: plan, query, quarantine.',
  ],
  [
    'Unknown argument: colour',
    QUERY,
    ['query', '--colour'],
    'There is no option --colour here. Allowed here: --help, --json, --version, --max-rows, --file.',
  ],
  [
    'Unknown argument: b',
    QUERY,
    ['query', 'a', 'b'],
    'Unexpected argument b. Put the whole SELECT in quotes. The command is windrow query [sql]. ' +
      'See windrow query --help.',
  ],
  [
    'Unknown argument: my.yaml',
    undefined,
    ['my.yaml'],
    'There is no verb my.yaml. Name the verb first. Run: windrow run my.yaml',
  ],
  [
    'Not enough non-option arguments: got 0, need at least 1',
    RUN,
    ['run'],
    'run needs <pipeline>: A pipeline file. The command is windrow run <pipeline>. See windrow run --help.',
  ],
  [
    'Not enough non-option arguments: got 1, need at least 2',
    LINK,
    ['link', 'here'],
    'link needs <to>. The command is windrow link <from> <to> [more..]. See windrow link --help.',
  ],
  [
    'Missing required argument: max-rows',
    QUERY,
    ['query'],
    'query needs --max-rows: Rows at most. The command is windrow query [sql]. See windrow query --help.',
  ],
  [
    'Invalid values:\n  Argument: max-rows, Given: "fwe", Choices: "few", "many"',
    QUERY,
    ['query', '--max-rows', 'fwe'],
    '--max-rows cannot be "fwe". Did you mean few?',
  ],
  [
    'Invalid values:\n  Argument: action, Given: "x", Choices: "list", "show"',
    QUARANTINE,
    ['quarantine', 'x'],
    '<action> cannot be "x". Allowed here: list, show.',
  ],
  ['Name a verb.', undefined, [], 'Name a verb. See windrow --help.'],
])('%s', (message, loaded, line, expected) => {
  const fault = usageFault(message, line, VERBS, loaded);
  expect(fault.paragraph()).toBe(expected);
  expect(fault.exitCode).toBe(2);
});

it('an option without a value', () => {
  const fault = withoutValue('Not enough arguments following: where');
  expect(fault?.paragraph()).toBe(
    '--where has no value. Give one: --where VALUE, or --where=VALUE if it begins with a dash.',
  );
  expect(fault?.exitCode).toBe(2);
  expect(withoutValue('Another message')).toBeUndefined();
});
