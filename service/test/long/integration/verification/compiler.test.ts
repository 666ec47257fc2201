import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { IS_EXHAUSTIVE } from '../../../../../test/fixtures/thorough.ts';
import * as setup from '../../../../../test/fixtures/verification-setup.ts';
import {
  ADDRESSES,
  bombOf,
  chain,
  effects,
  submissionOf,
  verified,
  verifying,
} from '../../../../../test/fixtures/verification-setup.ts';
import { freshFolder } from '../../../../../test/fixtures/when-over.ts';
import { simulatedChain } from '../../../../src/simulated/chain.ts';
import { SIMULATED_CONTRACTS } from '../../../../src/simulated/primary/contracts.ts';
import type { Compiler, CompilerOptions } from '../../../../src/verification/compiler.ts';

/**
 * Goal: a source verifies if and only if it compiles to what is deployed, and nothing that is
 * compiled takes more than its bounds.
 */

const [barn, , bales = '', wagon = ''] = ADDRESSES;
const compilers: Compiler[] = [];

function realCompiler(more: Partial<CompilerOptions> = {}): Compiler {
  const compiler = setup.realCompiler(more);
  compilers.push(compiler);
  return compiler;
}
afterAll(() => {
  for (const compiler of compilers) compiler.close();
});

describe('the contracts of the simulated chain', () => {
  it('are deployed at the first contracts, each hole filled', () => {
    for (const [nth, address] of ADDRESSES.entries()) {
      const code = chain.codeAt(address) ?? '';
      const { code: empty = '', holes = [] } = SIMULATED_CONTRACTS[nth] ?? {};
      expect(chain.isContract(address)).toBe(true);
      expect(code).toHaveLength(empty.length + 2);
      expect(code === `0x${empty}`).toBe(holes.length === 0);
      for (const { start, length } of holes) {
        expect(empty.slice(2 * start, 2 * (start + length))).toMatch(/^0+$/);
      }
    }
    expect(chain.codeAt(wagon)).toContain(bales.slice(2));
    expect(chain.codeAt(bales)).toContain(bales.slice(2));
    expect(chain.codeAt(chain.addresses(1)[0] ?? '')).toBeUndefined();
  });
});

it('the page on verification tells where the contracts of its example are', async () => {
  const page = await readFile(
    new URL('../../../../../docs/contract-verification.md', import.meta.url),
    'utf8',
  );
  const demo = simulatedChain({ seed: 'demo', head: 0 });
  const rows = SIMULATED_CONTRACTS.map(({ name }, nth) => {
    return `| \`${name}\` | \`${demo.addresses(44)[40 + nth]}\` |`;
  });
  expect(page).toContain(rows.join('\n'));
});

describe('a source', () => {
  const real = verifying({ compiler: realCompiler() });

  // The first one is verified after a bomb, below.
  it.each(
    SIMULATED_CONTRACTS.map(({ name }, nth) => [name, nth] as const).slice(
      1,
      IS_EXHAUSTIVE ? undefined : 3,
    ),
  )('%s verifies with the settings it was compiled with', async (_, nth) => {
    const body = submissionOf(nth, ADDRESSES);
    expect(await verified(real, body)).toMatchObject({ result: 'Success' });
  });

  it('verifies as standard JSON by its own settings, at whatever path', async () => {
    const [{ source = '', name = '' } = {}] = SIMULATED_CONTRACTS;
    const settings = { optimizer: { enabled: true, runs: 200 }, stopAfter: 'parsing' };
    const sources = { 'a/b.sol': { content: source }, 'c.sol': { content: 'contract Barn {}' } };
    const body = {
      chainShortName: 'MAINCHAIN',
      contractAddress: barn,
      contractName: `a/b.sol:${name}`,
      codeFormat: 'solidity-standard-json-input',
      sourceCode: JSON.stringify({ language: 'Solidity', sources, settings }),
    };
    expect(await verified(real, body)).toMatchObject({ result: 'Success' });
    const vague = await verified(real, { ...body, contractName: name });
    expect(vague).toEqual({ result: 'Fail', reason: expect.stringMatching(/several/) });
  });

  it('fails with a changed line, and the log has the reason', async () => {
    const { sourceCode, ...body } = submissionOf(0, ADDRESSES);
    const changed = sourceCode.replace('+= bales', '+= bales + 1');
    const { result, reason } = await verified(real, { ...body, sourceCode: changed });
    expect([result, reason]).toEqual(['Fail', expect.stringMatching(/the compiled code has/)]);
    expect(real.logged.at(-1)).toMatch(/^warn: Verification [0-9a-f]{32} of 0x.*: Fail: "the comp/);
  });

  it('cannot reach files', async () => {
    const body = { ...submissionOf(0, ADDRESSES), sourceCode: 'import "/etc/hostname";' };
    const { result, reason } = await verified(real, body);
    expect([result, reason]).toEqual(['Fail', expect.stringMatching(/not found/)]);
  });
});

describe('a compile', () => {
  it('is stopped at its bound of memory, and the next one verifies', async () => {
    const memoryBytes = 330 * 2 ** 20;
    const real = verifying({ compiler: realCompiler({ memoryBytes }) });
    const bomb = await verified(real, bombOf(ADDRESSES));
    expect(bomb).toEqual({ result: 'Fail', reason: 'the compiler was stopped at 330 MiB' });
    expect(await verified(real, submissionOf(0, ADDRESSES))).toMatchObject({ result: 'Success' });
  });

  it('is stopped at its bound of time, and none begins once the compiler is closed', async () => {
    const compiler = realCompiler({ timeLimitMs: 1 });
    const task = { input: '{}', file: '', contract: 'Barn' };
    // Nothing is computed so soon, but the clock runs.
    const overdue = { reason: 'the compiler was stopped after 0.003 s' };
    expect(await compiler.compile(task)).toEqual(overdue);
    const patient = { sleep: (_: number, signal?: AbortSignal) => effects.sleep(60_000, signal) };
    const busy = realCompiler({ timeLimitMs: 150, effects: patient });
    const stopped = { reason: 'the compiler was stopped at 0.15 s of computing' };
    expect(await busy.compile(task)).toEqual(stopped);
    compiler.close();
    expect(await compiler.compile(task)).toEqual({ reason: 'there is no compiler' });
  });

  it('knows nothing of the secrets in the environment', async () => {
    const folder = await freshFolder();
    const node = join(folder, 'node');
    await writeFile(node, `#!/bin/sh\nenv > "${folder}/seen"\n`, { mode: 0o755 });
    process.env['WINDROW_SECRET_KEY'] = 'canary';
    await realCompiler({ node }).compile({ input: '{}', file: '', contract: 'Barn' });
    delete process.env['WINDROW_SECRET_KEY'];
    const seen = await readFile(join(folder, 'seen'), 'utf8');
    expect(seen).toContain('NODE_CHANNEL_FD');
    expect(seen).not.toContain('canary');
  });

  it('that cannot be started fails, and says so', async () => {
    const compiler = realCompiler({ node: '/nowhere/node' });
    const task = { input: '{}', file: '', contract: 'Barn' };
    expect(await compiler.compile(task)).toEqual({
      reason: expect.stringMatching(/not be started/),
    });
    await expect(compiler.version()).rejects.toThrow(/reports no version/);
  });
});
