import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { listen } from '../../service/src/server/listener.ts';
import { createService } from '../../service/src/server/service.ts';
import { createVerification } from '../../service/src/verification/verification.ts';
import { systemEffects } from '../../src/system.ts';
import { IS_EXHAUSTIVE } from '../fixtures/thorough.ts';
import { ADDRESSES, chain, realCompiler, submissionOf } from '../fixtures/verification-setup.ts';
import { freshFolder, portOf, whenOver } from '../fixtures/when-over.ts';
import { windrow, windrowProcess } from './command-line.ts';
import { rowsOf } from './harness.ts';

const SUBMISSIONS = IS_EXHAUSTIVE ? 200 : 20;
/** Steps at which runs are killed; the first one has an answer that was not recorded. */
const KILLED_AT = IS_EXHAUSTIVE ? Array.from({ length: 45 }, (_, nth) => nth + 1) : [7, 12, 3, 19];

async function folderWith(url: string): Promise<{ folder: string; pipeline: string }> {
  const root = await freshFolder();
  await mkdir(join(root, 'contracts'));
  const pipeline = join(root, 'p.yaml');
  await writeFile(
    pipeline,
    `version: 1
name: contracts
source: { url: "${url}", chain: MAINCHAIN, credentials: none, rate: { startPerSecond: 1000, maxPerSecond: 1000 } }
datasets: { blocks: [{ endpoint: mainchain/block/block-list }] }
contracts: { submissions: contracts/*.yaml }
`,
  );
  return { folder: root, pipeline };
}

interface Row {
  readonly id: string;
  readonly state: string;
  readonly guid: string | null;
  readonly address: string;
  readonly nextStep: string | null;
}

async function listed(root: string): Promise<Row[]> {
  const { code, stdout, stderr } = await windrow(['contract', 'list', '--data', root, '--json']);
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout) as { submissions: Row[] }).submissions;
}

function isLost(address: string): boolean {
  return Number(`0x${address.slice(-4)}`) % 7 === 3;
}

/** A service that counts arrivals, gives each its own job, and loses the answer to some of them. */
class CountingService {
  readonly arrivals = new Map<string, string[]>();
  isLosing = true;
  url = '';

  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#answer(request, response));
    this.url = `http://127.0.0.1:${await portOf(server)}`;
    return this;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const part of request) text += String(part);
    const reply = (data: unknown): void => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ code: '0', msg: '', data }));
    };
    const path = request.url ?? '';
    if (path.includes('/block-list')) {
      const block = { height: '77', hash: `0x${'7'.repeat(64)}`, blockTime: '1700000000000' };
      return reply([{ page: '1', limit: '1', totalPage: '1', blockList: [block] }]);
    }
    const body = JSON.parse(text) as { contractAddress: string; guid: string };
    if (path.endsWith('/check-verify-result')) {
      const isKnown = [...this.arrivals.values()].flat().includes(body.guid);
      return reply([isKnown ? 'Success' : 'Fail']);
    }
    const address = body.contractAddress.toLowerCase();
    const guids = this.arrivals.get(address) ?? [];
    guids.push(`job-${address.slice(-6)}-${guids.length + 1}`);
    this.arrivals.set(address, guids);
    // Every seventh answer is lost after the job was made.
    if (this.isLosing && isLost(address)) request.socket.destroy();
    else reply([guids.at(-1)]);
  }
}

/** Goal: no submission that may have arrived is sent twice, and no job is lost without a trace. */
describe('contract submissions', () => {
  it(`survive kill -9 at every step of ${SUBMISSIONS} of them`, async () => {
    const service = await new CountingService().start();
    const { folder, pipeline } = await folderWith(service.url);
    const root = join(folder, 'lake');
    const addresses = Array.from(
      { length: SUBMISSIONS },
      (_, nth) => `0x${'c'.repeat(36)}${nth.toString(16).padStart(4, '0')}`,
    );
    for (const [nth, address] of addresses.entries()) {
      // Another version than the installed one, which nothing here compiles.
      const compilerVersion = 'v0.8.30+commit.73712a01';
      const submission = {
        ...submissionOf(0, ADDRESSES),
        contractAddress: address,
        compilerVersion,
      };
      const name = `${String(nth).padStart(3, '0')}.yaml`;
      await writeFile(join(folder, 'contracts', name), JSON.stringify(submission));
    }
    const submit = (env: Record<string, string>, more: readonly string[] = []) => {
      const args = ['contract', 'submit', '--pipeline', pipeline, '--data', root, ...more];
      return windrowProcess(args, { env: { ...env, NODE_OPTIONS: '' } });
    };
    const killedAt = new Set<string>();
    const killed: string[] = [];
    for (const step of KILLED_AT) {
      const { code, stderr } = await submit({ WINDROW_KILL_AT: String(step) });
      expect(code, stderr).toBe(null);
      killed.push(/killed at step .*/.exec(stderr)?.[0] ?? '');
      killedAt.add(/killed at step \d+: (.*)/.exec(stderr)?.[1] ?? '');
      for (const guids of service.arrivals.values()) expect(guids, killed.join()).toHaveLength(1);
    }
    expect(killedAt).toContain('submission answered');
    const last = await submit({});
    expect(last.code, last.stderr).toBe(3);

    const rows = await listed(root);
    expect(rows.map(({ address }) => address)).toEqual(addresses);
    for (const { address, state, guid, nextStep } of rows) {
      const guids = service.arrivals.get(address) ?? [];
      expect(guids.length, address).toBeLessThanOrEqual(1);
      if (state === 'succeeded') expect([guid]).toEqual(guids);
      else
        expect([state, guid, nextStep]).toEqual(['unknown', null, expect.stringMatching(/never/)]);
    }
    const unknown = rows.filter(({ state }) => state === 'unknown').length;
    expect(unknown).toBeGreaterThan(0);
    // A kill costs at most one job, whose answer was not recorded.
    expect(unknown - addresses.filter(isLost).length).toBeLessThanOrEqual(killed.length);
    process.stdout.write(`contract submissions: ${killed.length} kills, ${unknown} unknown\n`);

    // Only the user sends again, and only what is not settled.
    service.isLosing = false;
    const again = await submit({}, ['--again']);
    expect(again.code, again.stderr).toBe(0);
    const all = await listed(root);
    expect(all).toHaveLength(SUBMISSIONS + unknown);
    const jobs = all.flatMap(({ guid }) => (guid === null ? [] : [guid]));
    expect(new Set(jobs).size).toBe(SUBMISSIONS);
    const landed = await rowsOf(root, 'contract_verifications', 'submission_state, verdict');
    expect(landed).toHaveLength(SUBMISSIONS + unknown);

    const [first = ''] = addresses;
    const forgotten = await windrow(['forget', first, '--data', root]);
    expect(forgotten.stdout).toMatch(/contract_verifications: \d submission/);
    const left = (await listed(root)).map(({ address }) => address);
    expect(left.length).toBeGreaterThan(SUBMISSIONS - 2);
    expect(left).not.toContain(first);
  });

  it('of a build-info file of a real compiler run are accepted and verified', async () => {
    const verification = createVerification({
      effects: systemEffects('warn'),
      compiler: realCompiler(),
      code: async (address) => chain.codeAt(address),
    });
    const source = chainSource(chain);
    const service = createService({ source, effects: systemEffects('warn'), verification });
    const listener = await listen(service, { effects: systemEffects('warn') });
    whenOver(async () => {
      verification.close();
      await listener.close();
    });
    const { folder, pipeline } = await folderWith(listener.url);
    const root = join(folder, 'lake');
    const { contractAddress: address = '', ...silo } = submissionOf(1, ADDRESSES);
    await writeFile(join(folder, 'hardhat.json'), JSON.stringify(buildInfoOf(silo)));
    const yaml = `contractAddress: "${address}"\nbuildInfo: ../hardhat.json\nlicenseType: MIT\n`;
    await writeFile(join(folder, 'contracts', 'silo.yaml'), yaml);
    const args = ['--pipeline', pipeline, '--data', root, '--json'];
    const wrong = await windrow(['contract', 'submit', join(folder, 'hardhat.json'), ...args]);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringMatching(/contractAddress is mis/),
    ]);
    const sent = await windrow(['contract', 'submit', ...args]);
    expect([sent.code, sent.stderr]).toEqual([0, '']);
    const raw = ['contract', 'submit', join(folder, 'hardhat.json'), '--address', address, ...args];
    expect(await windrow(raw)).toMatchObject({ code: 0 });
    const columns =
      'submission_state, verdict, contract_name, code_format, compiler_version, license_type';
    const row = {
      submission_state: 'succeeded',
      verdict: 'Success',
      contract_name: silo.contractName,
      code_format: 'solidity-standard-json-input',
      compiler_version: silo.compilerVersion,
    };
    const landed = await rowsOf(root, 'contract_verifications', columns);
    expect(landed.map(({ license_type: license }) => license).sort()).toEqual(['MIT', null]);
    for (const record of landed) expect(record).toMatchObject(row);
    const sql = `SELECT count(*) AS jobs FROM contract_verifications
      WHERE verification_guid IS NOT NULL AND verdict = 'Success'`;
    const answer = await windrow(['query', sql, '--data', root, '--json']);
    expect(JSON.parse(answer.stdout)).toEqual([{ jobs: 2 }]);
  });
});

/** A build-info file as Hardhat 2 writes it, with the output of the real compiler. */
function buildInfoOf(source: Omit<ReturnType<typeof submissionOf>, 'contractAddress'>) {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const input = {
    language: 'Solidity',
    sources: { 'contract.sol': { content: source.sourceCode } },
    settings: {
      optimizer: { enabled: source.optimization === '1', runs: Number(source.optimizationRuns) },
      viaIR: source.viaIr,
      ...(source.evmVersion === '' ? {} : { evmVersion: source.evmVersion }),
      outputSelection: { '*': { '*': ['abi', 'evm.deployedBytecode'] } },
    },
  };
  const output: unknown = JSON.parse(solc.compile(JSON.stringify(input)));
  const solcLongVersion = source.compilerVersion.slice(1);
  const solcVersion = solcLongVersion.split('+')[0];
  return { id: 'a', _format: 'hh-sol-build-info-1', solcVersion, solcLongVersion, input, output };
}
