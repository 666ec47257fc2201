import { existsSync, readFileSync } from 'node:fs';
import { appendFile, readdir, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, gunzipSync } from 'node:zlib';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { printResult } from '../../../../src/cli/terminal/verb-result.ts';
import { statusVerb } from '../../../../src/cli/verbs/status/status.ts';
import { verifyVerb } from '../../../../src/cli/verbs/verify.ts';
import type { Capture } from '../../../../src/run/capture/capture.ts';
import { streamCapture } from '../../../../src/run/capture/stream-capture.ts';
import { type AnnouncedBlock, announcedHash } from '../../../fixtures/announced-hash.ts';
import { forwardProxy } from '../../../fixtures/forward-proxy.ts';
import { SmallLake } from '../../../fixtures/load-lake.ts';
import { quietConsole } from '../../../fixtures/quiet-console.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { portOf } from '../../../fixtures/when-over.ts';

/** Goal: all that a server sends lands, or a gap names it. The server shares no code with src. */

type Send = (client: WebSocket) => void;
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server whose connections play these scripts; it ends the capture at the one after the last. */
async function serverOf(scripts: readonly Send[]) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const stop = new AbortController();
  let connections = 0;
  server.on('connection', (client) => {
    const script = scripts[connections];
    connections += 1;
    if (script === undefined) stop.abort(new Error('the end'));
    else script(client);
  });
  await new Promise((resolve) => server.once('listening', resolve));
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}/`, stop: stop.signal };
}

async function smallLake(): Promise<SmallLake> {
  const small = await SmallLake.open();
  closing.push(() => small.close());
  return small;
}

function captureOf(small: SmallLake, url: string, keepJournal = false): Required<Capture> {
  return streamCapture({ url, network: 'main', keepJournal }, small.lake, quietEffects());
}

async function captured(scripts: readonly Send[], lake?: SmallLake): Promise<SmallLake> {
  const { url, stop } = await serverOf(scripts);
  const small = lake ?? (await smallLake());
  await landed(small, captureOf(small, url), stop);
  return small;
}

/** Captures until the stop, and lands and publishes all of it, and what lay in the journal. */
async function landed(small: SmallLake, capture: Required<Capture>, stop: AbortSignal) {
  await capture.capture(stop, 'until stopped');
  const counts = await capture.land();
  await capture.close();
  await small.publish();
  return counts;
}

function message(index: number, more: object = {}): Record<string, unknown> {
  return {
    payload_id: '0x01',
    index,
    ...(index === 0 ? { base: { block_number: '0xa', gas_limit: '0x1c9c380' } } : {}),
    diff: { transactions: [], gas_used: '0x0', withdrawals: [] },
    metadata: { block_number: 10, new_account_balances: {}, receipts: {} },
    ...more,
  };
}

function sendAll(client: WebSocket, messages: readonly object[]): void {
  for (const frame of messages) client.send(JSON.stringify(frame));
  client.close(1001);
}

const MAINNET = new URL('../../../../../shared/data/mainnet/', import.meta.url);
const FILES = [
  'flashblocks_base_sepolia_33439826.ndjson.gz',
  'flashblocks_base_mainnet_37646058_index10.ndjson.gz',
];
const isHere = existsSync(MAINNET);

type Receipt = Readonly<Record<string, unknown>>;

interface RealMessage {
  readonly diff: { readonly transactions: readonly string[] };
  readonly metadata: {
    readonly receipts: Readonly<Record<string, Readonly<Record<string, Receipt>>>>;
    readonly new_account_balances: Readonly<Record<string, string>>;
  };
}

const forms: Record<string, (text: string) => string | Buffer> = {
  text: (text) => text,
  'binary frames': (text) => Buffer.from(text),
  brotli: (text) => brotliCompressSync(text),
  'marked brotli': (text) => Buffer.concat([Buffer.of(0x1e), brotliCompressSync(text)]),
};

describe.skipIf(!isHere)('real messages (skipped without ../shared/data/mainnet)', () => {
  it.each(Object.keys(forms))(
    'land whole as %s',
    async (form) => {
      const lines = FILES.flatMap((file) =>
        gunzipSync(readFileSync(new URL(file, MAINNET)))
          .toString()
          .trim()
          .split('\n'),
      );
      expect(lines).toHaveLength(12);
      const small = await captured([
        (client) => {
          for (const line of lines) client.send(forms[form]?.(line) ?? '');
          client.close(1001);
        },
      ]);
      const messages = lines.map((line) => JSON.parse(line) as RealMessage);
      const raws = messages.flatMap(({ diff }) => diff.transactions);
      const hashes = raws.map((raw) => {
        return `0x${Buffer.from(keccak_256(Buffer.from(raw.slice(2), 'hex'))).toString('hex')}`;
      });
      const rows = await small.rows(
        `SELECT tx_hash, is_decoded AND from_address IS NOT NULL, raw FROM lake.preconf_transactions
       ORDER BY frame, position`,
      );
      expect(rows).toEqual(raws.map((raw, i) => [hashes[i], true, raw]));
      const receipts = messages.flatMap(({ metadata }) =>
        Object.entries(metadata.receipts).map(([hash, byType]) => {
          const [[type, { status, cumulativeGasUsed, logs, ...rest }] = ['', {}]] =
            Object.entries(byType);
          const isGood = BigInt(String(status)) === 1n ? 'success' : 'fail';
          return [hash, type, isGood, String(BigInt(String(cumulativeGasUsed))), logs, rest];
        }),
      );
      const receiptRows = await small.rows(
        `SELECT tx_hash, receipt_type, tx_status, cumulative_gas_used::VARCHAR, logs,
           coalesce(extra, '{}') FROM lake.preconf_receipts`,
      );
      const inOrder = (rows: unknown[][]) => rows.map((row) => JSON.stringify(row)).sort();
      expect(
        inOrder(
          receiptRows.map((row) => row.map((cell, at) => (at < 4 ? cell : JSON.parse(`${cell}`)))),
        ),
      ).toEqual(inOrder(receipts));
      const balances = messages.flatMap(({ metadata }) =>
        Object.entries(metadata.new_account_balances).map(([address, wei]) => {
          return [address, String(BigInt(wei))];
        }),
      );
      const wei = await small.rows('SELECT address, balance_text FROM lake.preconf_balances');
      expect(inOrder(wei)).toEqual(inOrder(balances));
      expect(
        await small.rows(
          'SELECT block_number, fragments, missing FROM preconf_payloads ORDER BY 1',
        ),
      ).toEqual([
        [33439826, 11, []],
        [37646058, 1, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
      ]);
    },
    120_000,
  );
});

/** The block of the landed rows: its base, its last fragment and its transactions in order. */
async function landedBlock(small: SmallLake): Promise<AnnouncedBlock> {
  const names = ['parent_hash', 'extra_data', 'prev_randao'];
  const [base = []] = await small.rows(
    `SELECT ${names.join(', ')}, parent_beacon_block_root, block_number, gas_limit,
       epoch(block_time)::BIGINT, base_fee_per_gas_text,
       -- SmallLake shortens texts that look like the addresses of tests.
       substr(fee_recipient, 3)
     FROM lake.preconf_fragments WHERE has_base`,
  );
  const last = ['state_root', 'receipts_root', 'logs_bloom', 'gas_used', 'withdrawals_root'];
  const [diff = []] = await small.rows(
    `SELECT ${last.join(', ')}, blob_gas_used
     FROM lake.preconf_fragments ORDER BY fragment_index DESC LIMIT 1`,
  );
  const raws = await small.rows(
    'SELECT raw FROM lake.preconf_transactions ORDER BY fragment_index, position',
  );
  const more = ['parent_beacon_block_root', 'block_number', 'gas_limit', 'timestamp'];
  const baseNames = [...names, ...more, 'base_fee_per_gas'];
  const texts = Object.fromEntries(baseNames.map((name, i) => [name, String(base[i])]));
  return {
    base: { ...texts, fee_recipient: `0x${base.at(-1)}` },
    diff: Object.fromEntries([...last, 'blob_gas_used'].map((name, i) => [name, diff[i]])),
    raws: raws.map(([raw]) => raw as `0x${string}`),
  };
}

describe('a block whose roots are given', () => {
  it.skipIf(!isHere)('has its announced hash, of a real fragment', async () => {
    const file = gunzipSync(readFileSync(new URL(FILES[0] ?? '', MAINNET))).toString();
    const [line = ''] = file.split('\n');
    const small = await captured([(client) => sendAll(client, [JSON.parse(line)])]);
    const { block_hash: announced } = JSON.parse(line).diff;
    expect(announcedHash(await landedBlock(small))).toBe(announced);
  });

  it('is rebuilt from the rows of all its fragments', async () => {
    const word = (digit: string): string => `0x${digit.repeat(64)}`;
    const base = {
      parent_hash: word('1'),
      fee_recipient: `0x${'2'.repeat(40)}`,
      extra_data: '0x0100000001',
      prev_randao: word('3'),
      parent_beacon_block_root: word('4'),
      block_number: '0xa',
      gas_limit: '0x1c9c380',
      timestamp: '0x65000000',
      base_fee_per_gas: '0x3b9aca00',
    };
    const diff = {
      state_root: word('5'),
      receipts_root: word('6'),
      logs_bloom: `0x${'07'.repeat(256)}`,
      gas_used: '0x5208',
      withdrawals_root: word('8'),
      blob_gas_used: '0x61a80',
    };
    const raws = Array.from({ length: 30 }, (_, i): `0x${string}` => {
      return `0x7e${(i + 16).toString(16).repeat(40)}`;
    });
    // As the packages trie and rlp of Python compute it.
    const announced = '0x5c746732352822c77a62a70ff6ebedf5a25a8f623c70aa67efd4ebcb2929a98b';
    const messages = [0, 1, 2].map((index) =>
      message(index, {
        ...(index === 0 ? { base } : {}),
        diff: {
          ...diff,
          ...(index === 2 ? { block_hash: announced } : { gas_used: '0x1', state_root: word('0') }),
          transactions: raws.slice(index * 10, (index + 1) * 10),
        },
      }),
    );
    const small = await captured([(client) => sendAll(client, messages)]);
    expect(await small.rows('SELECT block_hash FROM preconf_payloads')).toEqual([[announced]]);
    expect(announcedHash(await landedBlock(small))).toBe(announced);
  });
});

describe('a captured stream', () => {
  it('names each gap between connections, and deletes its journal once it has landed', async () => {
    const small = await captured([
      (client) => sendAll(client, [message(0), message(1)]),
      (client) => client.close(1013, 'too many clients'),
      (client) => sendAll(client, [message(3), message(3)]),
    ]);
    expect(
      await small.rows('SELECT fragment_index FROM lake.preconf_fragments ORDER BY frame'),
    ).toEqual([[0], [1], [3], [3]]);
    expect(await small.rows('SELECT reason, detail FROM lake.preconf_gaps ORDER BY frame')).toEqual(
      [
        ['start', ''],
        ['disconnected', 'close code 1001'],
        ['refused', 'close code 1013 too many clients'],
        ['disconnected', 'close code 1001'],
      ],
    );
    expect(await small.rows('SELECT state, missing FROM preconf_payloads')).toEqual([
      ['open', [2]],
    ]);
    expect(await readdir(small.lake.layout.journalOf('main'))).toEqual([]);
  });

  it('commits frames that grow by decompression in small parts, and names those that grow too far', async () => {
    const grown = (size: number): Buffer =>
      brotliCompressSync(JSON.stringify(message(0, { junk: 'x'.repeat(size) })));
    const [frame, bomb] = [grown(2 ** 20), grown(2 ** 24)];
    const small = await captured([
      (client) => {
        for (let i = 0; i < 6; i += 1) client.send(frame);
        client.send(bomb);
        client.close(1001);
      },
    ]);
    const commits = await small.lake.captured.get('preconf_fragments')?.stored.snapshot();
    expect(commits?.version).toBe(2);
    expect(await small.rows('SELECT count(*) FROM lake.preconf_fragments')).toEqual([[6]]);
    expect(await small.rows('SELECT reason FROM lake.preconf_gaps ORDER BY frame')).toEqual([
      ['start'],
      ['unreadable'],
      ['disconnected'],
    ]);
  });

  it('ends a connection that leaves three pings without an answer', async () => {
    const ticks: (() => void)[] = [];
    const every = (_: number, tick: () => void) => {
      ticks.push(tick);
      return () => undefined;
    };
    const { url, stop } = await serverOf([
      (client) => {
        client.pause();
        // The client pings three times, and finds no answer at the fourth tick.
        const timer = setInterval(() => ticks.at(-1)?.(), 5);
        closing.push(() => clearInterval(timer));
      },
    ]);
    const small = await smallLake();
    const stream = { url, network: 'main', keepJournal: false };
    const effects = { ...quietEffects(), every };
    await landed(small, streamCapture(stream, small.lake, effects), stop);
    expect(await small.rows('SELECT reason, detail FROM lake.preconf_gaps ORDER BY frame')).toEqual(
      [
        ['start', ''],
        ['silent', 'nothing was received for 30 s'],
      ],
    );
  });

  it('ends with a stop that comes while its journal is opened', async () => {
    const { url } = await serverOf([() => undefined]);
    const capture = captureOf(await smallLake(), url);
    const stop = new AbortController();
    const captured = capture.capture(stop.signal, 'until stopped');
    stop.abort(new Error('the end'));
    await captured;
    expect(await capture.land()).toMatchObject({ readings: 0 });
    await capture.close();
  });

  it('says why no connection was open, and waits as long as a server asks', async () => {
    const stop = new AbortController();
    const seconds = ['1e9', '86400'];
    const server = createServer((_, response) => {
      response.writeHead(429, { 'retry-after': seconds[waits.length] }).end();
    });
    const waits: number[] = [];
    const sleep = async (delayMs: number): Promise<void> => {
      if (waits.push(delayMs) === seconds.length) stop.abort(new Error('the end'));
    };
    const small = await smallLake();
    const url = `ws://127.0.0.1:${await portOf(server)}/`;
    const stream = { url, network: 'main', keepJournal: false };
    const capture = streamCapture(stream, small.lake, { ...quietEffects(), sleep });
    const counts = await landed(small, capture, stop.signal);
    expect(counts).toMatchObject({ readings: 0, gaps: 1 });
    expect(waits).toEqual([10_000, 86_400_000]);
    expect(await small.rows('SELECT reason, detail FROM lake.preconf_gaps')).toEqual([
      ['refused', 'HTTP status 429'],
    ]);
  });

  it('comes through a tunnel of the proxy that the environment names', async () => {
    const { url, stop } = await serverOf([(client) => sendAll(client, [message(0)])]);
    const proxy = await forwardProxy(Number(new URL(url).port));
    closing.push(proxy.close);
    const small = await smallLake();
    const stream = { url: 'ws://stream.example/', network: 'main', keepJournal: false };
    const env = { HTTP_PROXY: `http://user:word@127.0.0.1:${proxy.port}` };
    const capture = streamCapture(stream, small.lake, quietEffects(), env);
    // The end of the connection is a gap; its start is not.
    expect(await landed(small, capture, stop)).toMatchObject({ readings: 1, gaps: 1 });
    expect(proxy.seen[0]?.line).toBe('CONNECT stream.example:80');
    expect(proxy.seen[0]?.headers['proxy-authorization']).toMatch(/^Basic /);
  });

  it('lands frames that are not messages as gaps, with their beginning', async () => {
    const small = await captured([
      (client) => {
        client.send('nonsense');
        client.send(Buffer.of(1, 2, 3));
        // Nested deeper than it could be written again.
        client.send(`{"payload_id":"0x01","junk":${'['.repeat(1e5)}${']'.repeat(1e5)}}`);
        sendAll(client, [message(0), { payload_id: '0x01' }]);
      },
    ]);
    expect(
      await small.rows("SELECT detail FROM preconf_gaps WHERE reason = 'unreadable' ORDER BY 1"),
    ).toEqual([
      ['010203'],
      ['nonsense'],
      [expect.stringMatching(/^{"payload_id":"0x01","junk":\[/)],
    ]);
    expect(await small.rows('SELECT state, fragments FROM preconf_payloads')).toEqual([
      ['complete', 1],
    ]);
  });

  it('keeps values that no column holds, and members without a name in the interface', async () => {
    const odd = {
      index: -1,
      toString: 1,
      base: { block_number: '0xb', gas_limit: 'all' },
      diff: { transactions: ['0x', 7], gas_used: 1.5, constructor: 2 },
      metadata: { block_number: 10, new_account_balances: { '0x1': 'much' } },
    };
    const receipts = { '0xa': 'none', '0xb': { Legacy: { status: 'maybe', kind: 3 } } };
    const sent = { ...odd, metadata: { ...odd.metadata, receipts } };
    const small = await captured([(client) => sendAll(client, [message(0, sent)])]);
    const [[extra] = []] = await small.rows('SELECT extra FROM lake.preconf_fragments');
    const { block_number: _, ...metadata } = odd.metadata;
    expect(JSON.parse(String(extra))).toEqual({ ...odd, metadata });
    expect(
      await small.rows('SELECT tx_hash, extra FROM lake.preconf_receipts ORDER BY ALL'),
    ).toEqual([
      ['0xa', '{"value":"none"}'],
      ['0xb', '{"status":"maybe","kind":3}'],
    ]);
  });

  it('lands the journal of a killed process once, and names its end as a gap', async () => {
    const small = await smallLake();
    const { url, stop } = await serverOf([(client) => sendAll(client, [message(0), message(1)])]);
    const first = captureOf(small, url);
    await first.capture(stop, 'until stopped');
    await expect(captureOf(small, url).land()).rejects.toThrow(`process ${process.pid} on`);
    await first.close();
    const folder = small.lake.layout.journalOf('main');
    const [file = ''] = await readdir(folder);
    // The note of its end is cut, as is the frame that the process was writing.
    await truncate(join(folder, file), (await stat(join(folder, file))).size - 45);
    await appendFile(join(folder, file), Buffer.of(0, 0, 1, 0, 0, 7));
    const second = captureOf(small, url, true);
    await second.land();
    await second.close();
    // A crash before the file was settled leaves it under its name.
    for (const name of await readdir(folder)) {
      await rename(join(folder, name), join(folder, name.replace('.landed', '')));
    }
    const third = captureOf(small, url);
    await third.land();
    await third.close();
    await small.publish();
    expect(
      await small.rows('SELECT fragment_index FROM lake.preconf_fragments ORDER BY frame'),
    ).toEqual([[0], [1]]);
    const gaps = await small.rows('SELECT reason, count(*) FROM lake.preconf_gaps GROUP BY 1');
    expect(gaps).toContainEqual(['killed', 2]);
  });
});

it('names the frames that a damaged file of the journal lacks, and lands all others', async () => {
  const small = await smallLake();
  for (const index of [0, 2]) {
    const both = [message(index), message(index + 1)];
    const { url, stop } = await serverOf([(client) => sendAll(client, both)]);
    const capture = captureOf(small, url);
    await capture.capture(stop, 'until stopped');
    await capture.close();
  }
  const folder = small.lake.layout.journalOf('main');
  const [first = ''] = (await readdir(folder)).sort();
  const bytes = readFileSync(join(folder, first));
  bytes.write('!', bytes.indexOf('"index":1'));
  await writeFile(join(folder, first), bytes);
  await landed(small, captureOf(small, 'ws://127.0.0.1:1/'), AbortSignal.abort());
  const rows = await small.rows('SELECT fragment_index FROM lake.preconf_fragments ORDER BY frame');
  expect(rows).toEqual([[0], [2], [3]]);
  const gaps = await small.rows("SELECT detail FROM lake.preconf_gaps WHERE reason = 'unreadable'");
  expect(gaps).toEqual([['the journal is damaged from frame 2 to 4']]);
});

it('shows its newest message, its gaps and the rest of its journal in the status', async () => {
  const small = await captured([(client) => sendAll(client, [message(0)])]);
  const { url, stop } = await serverOf([(client) => sendAll(client, [message(1)])]);
  const capture = captureOf(small, url);
  await capture.capture(stop, 'until stopped');
  await capture.close();
  const lines: string[] = [];
  const output = { ...quietConsole, isJson: false, out: (line: string) => void lines.push(line) };
  await printResult(statusVerb({ data: small.root }, output), output);
  expect(lines.join('\n')).toMatch(
    /^stream main: last message .* ago \(block 10\); 1 gap, the last one .* ago \(disconnected\); 1 KiB of its journal have not landed\.$/m,
  );
  expect(lines.join('\n')).toMatch(/^MAINCHAIN preconf_fragments: 1 row in 1 file/m);
});

it('leaves the other rows after a repair, which says that captured rows cannot be fetched', async () => {
  const small = await captured([(client) => sendAll(client, [message(0)])]);
  await captured([(client) => sendAll(client, [message(1)])], small);
  const table = join(small.root, 'lake/MAINCHAIN/preconf_fragments');
  const names = (await readdir(table)).filter((name) => name.endsWith('.parquet'));
  await truncate(join(table, names[0] ?? ''), 10);
  const file = join(small.root, 'p.yaml');
  await writeFile(
    file,
    `version: 1
name: p
source: { url: "http://127.0.0.1:1", chain: MAINCHAIN, zoneChain: ZONECHAIN, credentials: none }
stream: { url: "ws://127.0.0.1:1/" }
`,
  );
  const verified = async (repair: boolean): Promise<[number, string]> => {
    const lines: string[] = [];
    const output = { ...quietConsole, isJson: false, out: (line: string) => void lines.push(line) };
    const pipeline = repair ? { pipeline: file } : {};
    const code = await printResult(
      verifyVerb({ ...pipeline, data: small.root, repair }, output),
      output,
    );
    return [code, lines.join('\n')];
  };
  const advised = expect.stringMatching(
    /1 file .* is damaged\.\nCaptured rows .* cannot be fetched/,
  );
  expect(await verified(false)).toEqual([1, advised]);
  expect(await verified(true)).toEqual([3, expect.stringMatching(/^Lost, because captured rows/m)]);
  expect(await verified(false)).toEqual([0, expect.stringContaining('preconf_fragments')]);
  const rows = await small.rows('SELECT count(*) FROM preconf_payloads');
  expect(rows).toEqual([[1]]);
});
