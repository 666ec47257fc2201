import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { printResult } from '../../../../../src/cli/terminal/verb-result.ts';
import { scheduleVerb } from '../../../../../src/cli/verbs/schedule/schedule.ts';
import { keepingConsole } from '../../../../fixtures/quiet-console.ts';
import { freshFolder } from '../../../../fixtures/when-over.ts';

/** Goal: a run at its time does what the same command does by hand. */

const ALERTS = `alerts:
  destinations:
    team: { webhook: { url: { env: ALERT_URL }, signingKey: { env: ALERT_KEY } } }
  rules: [{ on: failed }]
`;

let folder = '';
let printed: string[] = [];
let notes: string[] = [];
beforeEach(async () => {
  folder = await freshFolder();
  printed = [];
  notes = [];
});

interface Given {
  readonly as?: string;
  readonly metricsFile?: string;
  readonly maxWait?: string;
  readonly log?: string;
  readonly logFormat?: 'json';
  readonly data?: string;
}

/** The text for a scheduler, of a pipeline with these credentials. */
async function scheduled(credentials: string, more = '', input: Given = {}): Promise<string> {
  const file = join(folder, 'my.yaml');
  const text = `version: 1
name: mine
source: { url: "http://127.0.0.1:1", chain: A, zoneChain: B, ${credentials} }
keys: { addresses: { list: ["0x${'1'.repeat(40)}"] } }
blocks: { from: 0, to: safe }
datasets:
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list, keys: addresses }
schedule: { cron: "0 3 * * *" }
${more}`;
  await writeFile(file, text);
  const output = keepingConsole(printed, notes);
  const data = join(folder, 'data');
  expect(
    await printResult(
      scheduleVerb({ as: 'crontab', data, ...input, action: file }, output),
      output,
    ),
  ).toBe(0);
  return printed.join('\n');
}

describe('files for another scheduler', () => {
  it('read .env where alerts have secrets in the environment', async () => {
    expect(await scheduled('credentials: none', ALERTS)).toContain(`. ${join(folder, '.env')}`);
    expect(notes[0]).toBe(
      `Write ${join(folder, '.env')} (mode 0600) with ALERT_URL, ALERT_KEY: the runs need it.`,
    );
  });

  it('name the variables of the credentials while .env is missing', async () => {
    await scheduled('credentials: environment');
    expect(notes[0]).toContain('WINDROW_ACCESS_KEY, WINDROW_SECRET_KEY, WINDROW_PASSPHRASE');
    notes = [];
    await scheduled('credentials: environment, authentication: key');
    expect(notes[0]).toContain('with WINDROW_ACCESS_KEY: the runs');
    notes = [];
    await writeFile(join(folder, '.env'), '');
    await scheduled('credentials: environment');
    expect(notes.filter((note) => note.startsWith('Write'))).toEqual([]);
  });

  it.each(['kubernetes', 'airflow'])('name no path of this machine, as %s', async (as) => {
    const text = await scheduled('credentials: environment', '', { as });
    expect(text + notes.join()).toMatch(/Write \.env \(mode 0600\) with WINDROW_ACCESS_KEY/);
    expect(text + notes.join()).not.toContain(folder);
  });

  it('read no .env that is neither needed nor there', async () => {
    expect(await scheduled('credentials: none')).not.toContain('.env');
    expect(notes.filter((note) => note.startsWith('Write'))).toEqual([]);
  });

  it('give each run the options of the command line, with whole paths', async () => {
    const options = { maxWait: '15m', metricsFile: 'm.prom' };
    expect(await scheduled('credentials: none', '', options)).toContain(
      ` --max-wait 15m --metrics-file ${join(process.cwd(), 'm.prom')} --quiet`,
    );
  });

  it.each(['crontab', 'systemd'])('let runs write the log, as %s', async (as) => {
    const options = { as, log: 'nightly.log', logFormat: 'json' } as const;
    expect(await scheduled('credentials: none', '', options)).toContain(
      ` --log ${join(process.cwd(), 'nightly.log')} --log-format json`,
    );
  });
});

it.each(['crontab', 'systemd'])('a line break in a path begins no line of a %s', async (as) => {
  const data = '/srv/a\n* * * * * touch b';
  await expect(scheduled('credentials: none', '', { as, data })).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining('control character') as string,
  });
  expect(printed).toEqual([]);
});

describe('a data root without a lake', () => {
  it('is noted, because the runs of the reader may use another one', async () => {
    await scheduled('credentials: none');
    expect(notes).toEqual([
      `${join(folder, 'data')} has no lake yet. If your runs use another data root, name it with --data.`,
    ]);
  });

  it('is not noted for Kubernetes, where a claim holds the data', async () => {
    await scheduled('credentials: none', '', { as: 'kubernetes' });
    expect(notes).toEqual([]);
  });
});
