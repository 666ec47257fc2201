import { expect, it } from 'vitest';
import { textOption } from '../../../src/cli/terminal/options.ts';
import { usageFault, withoutValue } from '../../../src/cli/usage-fault.ts';

const VERBS = ['plan', 'query', 'quarantine'];
const RUN = { command: 'run <pipeline>', options: { pipeline: textOption('A pipeline file') } };
const STATUS = { command: 'status', options: {} };
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
    undefined,
    ['addresses.csv'],
    'There is no verb addresses.csv. An address list belongs to a pipeline. ' +
      'Run: windrow run PIPELINE --addresses addresses.csv',
  ],
  [
    'Unknown argument: my.yaml',
    undefined,
    ['my.yaml'],
    'There is no verb my.yaml. Name the verb first. Run: windrow run my.yaml',
  ],
  [
    'Unknown argument: ./runs',
    undefined,
    ['./runs'],
    'There is no verb ./runs. Name a verb first: plan, query, quarantine.',
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

it.each([
  ['retain', ['maintain', '--retain'], '--retain has no value. Give one: --retain VALUE.'],
  ['f', ['query', '-f'], '-f has no value. Give one: -f VALUE.'],
  [
    'where',
    ['export', 'transfers', '--where', '-amount < 0'],
    '--where has no value: -amount < 0 looks like an option. Give a value. If this is the value, ' +
      "write '--where=-amount < 0'.",
  ],
])('an option without a value: %s', (name, line, expected) => {
  const fault = withoutValue(`Not enough arguments following: ${name}`, line);
  expect(fault?.paragraph()).toBe(expected);
  expect(fault?.exitCode).toBe(2);
  expect(withoutValue('Another message', line)).toBeUndefined();
});
