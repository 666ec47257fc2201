import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../../src/catalogue/entry.ts';
import { endpoints, paramOf } from '../../../../src/catalogue/index.ts';
import { Fault } from '../../../../src/fault.ts';
import { ask, pageIn, serviceOver } from '../../../../test/contract/asking.ts';
import { lengthened } from '../../../../test/fixtures/short-addresses.ts';
import { freshFolder } from '../../../../test/fixtures/when-over.ts';
import { recordsSource } from '../../../src/memory/records-source.ts';
import type { Source } from '../../../src/protocol/source.ts';

let directory = '';

beforeEach(async () => {
  directory = await freshFolder();
});

async function put(file: string, ...records: unknown[]): Promise<void> {
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  await writeFile(join(directory, file), file.endsWith('.gz') ? gzipSync(text) : text);
}

async function rows(source: Source, dataset: string) {
  const interval = { from: 0, to: Number.MAX_SAFE_INTEGER };
  const all = { filters: [], bounds: [], oncePerKey: false, offset: 0, count: 1_000 };
  return (await source.find({ dataset, interval, ...all })).records;
}

/** What reading the directory fails with. */
async function fault(): Promise<Fault> {
  try {
    await recordsSource(directory);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('records on disk', () => {
  it('are read by column, from plain and compressed files', async () => {
    await put('transactions.ndjson', {
      txId: '0xAB',
      height: '7',
      from: `0x${'F0'.repeat(20)}`,
      to: '',
    });
    await put('blocks.ndjson.gz', { hash: '0x1', height: '9', chainFullName: 'A', state: 'done' });
    const source = await recordsSource(directory);
    expect(await rows(source, 'transactions')).toEqual([
      {
        tx_hash: '0xab',
        block_number: '7',
        from_address: `0x${'f0'.repeat(20)}`,
        to_address: null,
      },
    ]);
    expect(await rows(source, 'blocks')).toEqual([
      { block_hash: '0x1', block_number: '9', chain_full_name: 'A', block_state: 'done' },
    ]);
    expect(source.head('primary')).toBe(9);
  });

  it('know every spelling of a field, and parameters that stand for a column', async () => {
    await put('blocks.ndjson', { height: '1', difficuity: '5' }, { height: '2', difficulty: '6' });
    await put('token_transfers.ndjson', { height: '1', protocolType: 'token_721', tokenId: '3' });
    const source = await recordsSource(directory);
    const difficulties = (await rows(source, 'blocks')).map((record) => record['difficulty']);
    expect(difficulties).toEqual(['6', '5']);
    expect(await rows(source, 'token_transfers')).toEqual([
      { block_number: '1', token_standard: 'token_721', token_id: '3' },
    ]);
  });

  it('lose what begins with _ and what no entry knows', async () => {
    await put('transactions.ndjson', { height: '1', _txIndex: '4', colour: 'red', nested: {} });
    const source = await recordsSource(directory);
    expect(await rows(source, 'transactions')).toEqual([{ block_number: '1' }]);
  });

  it('may have empty lines between them, and equal records stay', async () => {
    const line = JSON.stringify({ height: '1', txId: '0x1' });
    await writeFile(join(directory, 'internal_transactions.ndjson'), `${line}\r\n\n${line}`);
    expect(await rows(await recordsSource(directory), 'internal_transactions')).toHaveLength(2);
  });

  it('need no height where the interface gives them none', async () => {
    await put(
      'native_holders.ndjson',
      { rank: '2', address: lengthened('0xB') },
      { rank: '1', address: lengthened('0xA') },
    );
    const source = await recordsSource(directory);
    expect(await rows(source, 'native_holders')).toEqual([
      { holder_rank: '1', holder_address: lengthened('0xa') },
      { holder_rank: '2', holder_address: lengthened('0xb') },
    ]);
    await put('native_holders.ndjson', { rank: '1', as_of_block: '9' });
    expect(await rows(await recordsSource(directory), 'native_holders')).toEqual([
      { holder_rank: '1', as_of_block: '9' },
    ]);
  });

  it('give the chain the names of the first block', async () => {
    const names = { chainShortName: 'HILL', chainFullName: 'The hill' };
    await put('blocks.ndjson', { height: '1', ...names });
    const { primary } = (await recordsSource(directory)).names;
    expect(primary).toEqual({ shortName: 'HILL', fullName: 'The hill' });
  });
});

describe('files that cannot be served', () => {
  it.each([
    ['{"height":"1"', 'JSON'],
    ['[]', 'object'],
    ['null', 'object'],
    ['{"txId":"0x1"}', 'no height'],
    ['{"height":""}', 'no height'],
    ['{"height":"1","txId":"hello"}', 'txId'],
    ['{"height":"1","amount":1.5}', 'amount is not a string'],
    ['{"height":"1","isFromContract":"true"}', 'isFromContract'],
    ['{"height":"0x1"}', 'height'],
  ])('a line %s is named with its file and number', async (line, reason) => {
    await put('transactions.ndjson', { height: '1' });
    const file = join(directory, 'transactions.ndjson');
    await writeFile(file, `{"height":"1"}\n\n${line}\n{"height":"1"}\n`);
    const { kind, where, message } = await fault();
    expect({ kind, where }).toEqual({ kind: 'configuration', where: `${file}:3` });
    expect(message).toContain(reason);
  });

  it('two spellings of one field must agree', async () => {
    await put('blocks.ndjson', { height: '1', difficulty: '5', difficuity: '5' });
    expect(await rows(await recordsSource(directory), 'blocks')).toHaveLength(1);
    await put('blocks.ndjson', { height: '1', difficulty: '5', difficuity: '6' });
    expect((await fault()).message).toContain('two spellings');
  });

  it('one dataset cannot stand in two files', async () => {
    await put('blocks.ndjson', { height: '1' });
    await put('blocks.ndjson.gz', { height: '1' });
    expect((await fault()).paragraph()).toContain('blocks.ndjson and blocks.ndjson.gz');
  });

  it('a directory without records, or none at all, is a fault of the configuration', async () => {
    await put('flowers.ndjson', { height: '1' });
    expect((await fault()).kind).toBe('configuration');
    await expect(recordsSource(join(directory, 'nowhere'))).rejects.toThrow(Fault);
  });

  it.each(['blocks.ndjson', 'blocks.ndjson.gz'])(
    'a file %s that cannot be read is one',
    async (file) => {
      await mkdir(join(directory, file));
      expect(await fault()).toMatchObject({
        kind: 'configuration',
        where: join(directory, file),
      });
    },
  );

  it('a compressed file that is cut off is one too', async () => {
    const whole = gzipSync('{"height":"1"}\n'.repeat(1000));
    await writeFile(join(directory, 'blocks.ndjson.gz'), whole.subarray(0, whole.length - 9));
    expect((await fault()).where).toContain('blocks.ndjson.gz');
  });
});

const REAL = new URL('../../../../../shared/data/mainnet/', import.meta.url).pathname;
if (!existsSync(REAL)) process.stdout.write(`Skipped: no real records at ${REAL}\n`);

describe.skipIf(!existsSync(REAL))('real records', () => {
  /** By dataset, as they stand in the file. */
  const lines = (dataset: string): Record<string, string | boolean>[] =>
    gunzipSync(readFileSync(`${REAL}${dataset}.ndjson.gz`))
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string | boolean>);

  const held = endpoints.filter((options) => existsSync(`${REAL}${options.dataset}.ndjson.gz`));
  const keyedBy = (column: string) =>
    held.filter((options) => paramOf(options, 'keys')?.columns.includes(column) === true);

  it.each(keyedBy('tx_hash'))('$path gives back every record of a transaction', async (options) => {
    const service = serviceOver(await recordsSource(REAL));
    const kept = lines(options.dataset);
    const hashes = [...new Set(kept.map((line) => String(line['txId'])))];
    for (let nth = 0; nth < hashes.length; nth += 97) {
      const txId = hashes[nth] ?? '';
      const answer = await ask(service, options.path, { chainShortName: 'MAINCHAIN', txId });
      const expected = kept.filter((line) => line['txId'] === txId);
      if (options.reply.shape === 'bare')
        expect(answer.data).toEqual([shown(options, expected[0] ?? {})]);
      else {
        const newest = expected.toReversed().slice(0, 20);
        expect(pageIn(answer).list).toEqual(newest.map((line) => shown(options, line)));
        expect(pageIn(answer).totalPage).toBe(Math.ceil(Math.min(expected.length, 10_000) / 20));
      }
    }
  });

  it.each(keyedBy('from_address'))(
    '$path gives back every record of the busiest address',
    async (options) => {
      const service = serviceOver(await recordsSource(REAL), { recordCap: 1_000_000 });
      const standard = options.params.find(
        (param) => param.role === 'equals' && param.required,
      )?.name;
      const kept = lines(options.dataset).filter(
        (line) => standard === undefined || line[standard] === 'token_20',
      );
      const address = busiest(kept);
      const heights = new Set(
        kept.filter((line) => touches(line, address)).map((l) => l['height']),
      );
      let results = 0;
      for (const height of heights) {
        const expected = kept.filter((line) => line['height'] === height && touches(line, address));
        const list: unknown[] = [];
        for (let page = 1, totalPage = 1; page <= totalPage; page += 1) {
          const answer = await ask(service, options.path, {
            chainShortName: 'MAINCHAIN',
            address: address.toUpperCase().replace('X', 'x'),
            startBlockHeight: String(height),
            endBlockHeight: String(height),
            limit: '50',
            page: String(page),
          });
          totalPage = pageIn(answer).totalPage;
          list.push(...pageIn(answer).list);
        }
        expect(list).toEqual(expected.map((line) => shown(options, line)).reverse());
        results += list.length;
      }
      expect(results).toBeGreaterThan(100);
    },
  );

  it('of blocks are served one by one, without what is not part of the interface', async () => {
    const service = serviceOver(await recordsSource(REAL));
    for (const line of lines('blocks')) {
      const { data, text } = await ask(service, 'mainchain/block/block-fills', {
        chainShortName: 'MAINCHAIN',
        height: String(line['height']),
      });
      expect(data).toHaveLength(1);
      expect(line).toMatchObject(data[0] ?? {});
      expect(text).not.toContain('"_');
    }
  });
});

/** What the endpoint shows of a line, which spells every name like it. */
function shown(options: Endpoint, line: Record<string, string | boolean>) {
  return Object.fromEntries(options.fields.map(({ wire }) => [wire, line[wire] ?? '']));
}

function touches(line: Record<string, string | boolean>, address: string): boolean {
  return line['from'] === address || line['to'] === address;
}

function busiest(lines: readonly Record<string, string | boolean>[]): string {
  const counts = new Map<string, number>();
  for (const line of lines) {
    for (const address of new Set([String(line['from']), String(line['to'])])) {
      if (address !== '') counts.set(address, (counts.get(address) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}
