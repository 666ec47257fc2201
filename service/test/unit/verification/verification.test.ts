import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  ADDRESSES,
  chain,
  effects,
  guidIn,
  idle,
  realCompiler,
  submissionOf,
  verified,
  verifying,
} from '../../../../test/fixtures/verification-setup.ts';
import { freshFolder } from '../../../../test/fixtures/when-over.ts';
import type { CompileResult } from '../../../src/verification/compiler.ts';
import { installedSolc } from '../../../src/verification/compiler.ts';
import { vyperCompiler } from '../../../src/verification/vyper.ts';

/** Goal: submissions that cannot be verified are refused with a reason; others get a result. */

const GUID = /^[0-9a-f]{32}$/;
const [, , bales] = ADDRESSES;

describe('a submission is refused', () => {
  const { submit } = verifying();
  const body = submissionOf(0, ADDRESSES);

  it.each(['0.8.37', 'v0.8.37', '0.8.37+commit.f401782d'])('not for %s', async (version) => {
    expect(await submit({ ...body, compilerVersion: version })).toMatchObject({ code: '0' });
  });

  it('where no known code is deployed', async () => {
    for (const contractAddress of [`0x${'c'.repeat(40)}`, chain.tokens[0]?.address]) {
      const answer = await submit({ ...body, contractAddress });
      expect(answer).toMatchObject({ status: 404, code: '50046' });
    }
  });

  it.each([
    ['contractName', 'Big Barn'],
    ['contractName', 'a.sol:'],
    ['optimizationRuns', '-1'],
    ['optimizationRuns', String(2 ** 32)],
    ['evmVersion', 'paris;'],
    ['contractAbi', '{}'],
    ['contractAbi', '['],
    ['libraryInfo', [{ libraryName: 'Bales', libraryAddress: '0x12' }]],
    ['libraryInfo', [{ libraryName: 'a b', libraryAddress: bales }]],
    [
      'libraryInfo',
      ['a.sol:Bales', 'Bales'].map((libraryName) => ({ libraryName, libraryAddress: bales })),
    ],
  ])('for a malformed %s: %j', async (name, value) => {
    expect(await submit({ ...body, [name]: value })).toMatchObject({ status: 400, code: '50036' });
  });

  it.each([
    '',
    '[]',
    '{',
    '{"language":"Yul","sources":{}}',
    '{"language":"Solidity"}',
    '{"language":"Solidity","sources":{"a":{"urls":["http://localhost"]}}}',
    '{"language":"Solidity","sources":{},"settings":[]}',
  ])('for standard JSON that is none: %j', async (sourceCode) => {
    const codeFormat = 'solidity-standard-json-input';
    const answer = await submit({ ...body, codeFormat, sourceCode });
    expect(answer).toMatchObject({ status: 400, code: sourceCode === '' ? '50014' : '50036' });
  });

  it('where there is no compiler, saying how to get one', async () => {
    const solcPath = installedSolc(() => {
      throw new Error("Cannot find module 'solc'");
    });
    const { submit: submitThere } = verifying({ compiler: realCompiler({ solcPath }) });
    const answer = await submitThere(body);
    expect(answer).toMatchObject({ status: 501, code: '50049', data: [] });
    expect(answer.msg).toMatch(/solc is not installed.*--include=optional/);
  });

  it('where no deployed code is known at all', async () => {
    const answer = await verifying({ code: undefined }).submit(body);
    expect(answer).toMatchObject({ status: 501, code: '50049' });
    expect(answer.msg).toMatch(/--code-rpc/);
  });
});

describe('a job', () => {
  const body = submissionOf(0, ADDRESSES);

  /** A compiler whose compilations end on demand. */
  function heldBack() {
    const started: ((compiled: CompileResult) => void)[] = [];
    const compiler = idle(() => new Promise((resolve) => started.push(resolve)));
    return { started, compiler };
  }

  it('has a GUID of its own, whatever was handed in before', async () => {
    const { submit, check } = verifying(heldBack());
    const guids = [guidIn(await submit(body)), guidIn(await submit(body))];
    expect(new Set(guids).size).toBe(2);
    for (const guid of guids) {
      expect(guid).toMatch(GUID);
      for (const spelling of [guid, `0x${guid}`, guid.toUpperCase()]) {
        expect(await check(spelling)).toMatchObject({ status: 200, code: '0', data: ['Pending'] });
      }
    }
  });

  it('keeps its result, and is forgotten when enough newer ones are known', async () => {
    const { started, compiler } = heldBack();
    const { submit, check } = verifying({ compiler, keptOutcomes: 2 });
    const guids: string[] = [];
    for (let nth = 0; nth < 3; nth += 1) {
      guids.push(guidIn(await submit(body)));
      await delay(1);
      started[nth]?.({ reason: 'no' });
      await delay(1);
      const newest = guids.at(-1) ?? '';
      expect([await check(newest), await check(newest)]).toMatchObject([
        { data: ['Fail'] },
        { data: ['Fail'] },
      ]);
    }
    expect(await check(guids[0] ?? '')).toMatchObject({ status: 404, code: '50048', data: [] });
    expect(await check(guids[1] ?? '')).toMatchObject({ data: ['Fail'] });
  });

  it('is unknown under any other GUID', async () => {
    const { check } = verifying();
    for (const guid of ['0'.repeat(32), 'x', '__proto__']) {
      expect(await check(guid)).toMatchObject({ status: 404, code: '50048', data: [] });
    }
    expect(await check('')).toMatchObject({ status: 400, code: '50014' });
  });

  it('waits until those before it are compiled, and too many of them are refused', async () => {
    const { started, compiler } = heldBack();
    const { submit, check } = verifying({ compiler, mostJobs: 3 });
    const guids = await Promise.all([1, 2, 3].map(async () => guidIn(await submit(body))));
    await delay(1);
    expect(started).toHaveLength(1);
    const refused = await submit(body);
    expect(refused).toMatchObject({ status: 503, code: '50013', data: [] });
    started[0]?.({ reason: 'no' });
    await delay(1);
    expect(started).toHaveLength(2);
    const results = await Promise.all(guids.map(async (guid) => (await check(guid)).data));
    expect(results).toEqual([['Fail'], ['Pending'], ['Pending']]);
    expect(await submit(body)).toMatchObject({ code: '0' });
  });

  it.each([
    ['vyper', { codeFormat: 'vyper', compilerVersion: 'vyper:0.4.3' }, /no compiler for Vyper/],
    ['another compiler', { compilerVersion: 'v0.8.30+commit.73712a01' }, /here is v0\.8\.37\+/],
    ['another commit', { compilerVersion: 'v0.8.37+commit.73712a01' }, /here is v0\.8\.37\+commit/],
  ])('for %s is accepted, and fails with a reason in the log', async (_, change, reason) => {
    const service = verifying();
    expect(await verified(service, { ...body, ...change })).toMatchObject({ result: 'Fail' });
    expect(service.logged.join()).toMatch(reason);
  });

  it('in vyper is judged by its program where that is installed', async () => {
    const folder = await freshFolder();
    const code = (await chain.codeAt(body.contractAddress ?? ''))?.slice(2);
    const contract = { evm: { deployedBytecode: { object: `0x${code}` } }, layout: {} };
    const output = JSON.stringify({ contracts: { 'contract.vy': { contract } } });
    // Compiles one source only, as the text that it gets.
    const program = `#!/bin/sh
if [ "$1" = --version ]; then echo 0.4.3+commit.bff19ea2
elif grep -q '"content":"# barn"'; then echo '${output}'
else echo '{"errors":[{"severity":"error","message":"no barn"}]}'; fi
`;
    await writeFile(join(folder, 'vyper-json'), program, { mode: 0o755 });
    const path = `${folder}:${process.env['PATH']}`;
    const service = verifying({ vyper: vyperCompiler({ effects, path }) });
    const inVyper = { ...body, codeFormat: 'vyper', compilerVersion: 'vyper:0.4.3' };
    const results = [];
    for (const sourceCode of ['# barn', '# stable']) {
      results.push(await verified(service, { ...inVyper, sourceCode }));
    }
    expect(results).toEqual([
      { result: 'Success', reason: 'the code is the same' },
      { result: 'Fail', reason: 'no barn' },
    ]);
  });

  it('that was refused takes no place', async () => {
    const { submit } = verifying({ ...heldBack(), mostJobs: 1 });
    const elsewhere = { ...body, contractAddress: `0x${'c'.repeat(40)}` };
    for (let nth = 0; nth < 3; nth += 1) {
      expect(await submit(elsewhere)).toMatchObject({ code: '50046' });
    }
    expect(await submit(body)).toMatchObject({ code: '0' });
  });
});
