import { createPublicClient, custom, erc20Abi, erc721Abi, type Hex } from 'viem';
import { expect, it } from 'vitest';
import { balancesAt } from '../../../../test/fixtures/balances.ts';
import { quietEffects } from '../../../../test/fixtures/quiet-effects.ts';
import { chainSource } from '../../../src/memory/chain-source.ts';
import { type SimulatedChain, simulatedChain } from '../../../src/simulated/chain.ts';
import { publicNodes } from '../../../src/stream/nodes.ts';

/** Goal: answers of token contracts agree with the transfers of the chain. */

const HEAD = 400;
const chain = simulatedChain({ seed: 'ask tokens', head: HEAD });

function clientOf(world: SimulatedChain) {
  const rpc = publicNodes(world, chainSource(world), { effects: quietEffects() }).rpcs.get('/rpc');
  return createPublicClient({
    transport: custom({
      request: async ({ method, params }) => {
        const headers = { 'content-type': 'application/json' };
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
        const answer = await rpc?.answer({ method: 'POST', target: '/rpc', headers, body });
        const { result, error } = JSON.parse(answer?.body ?? '');
        if (error !== undefined) throw Object.assign(new Error(error.message), error);
        return result;
      },
    }),
  });
}

const client = clientOf(chain);

const transfers = Array.from({ length: HEAD + 1 }, (_, height) => chain.executedAt(height))
  .flatMap(({ executed }) => executed)
  .flatMap((entry) => entry.transfers);

const tokenOf = (symbol: string) => {
  const token = chain.tokens.find((candidate) => candidate.symbol === symbol);
  return { address: token?.address as Hex, token };
};

it('their names are answered', async () => {
  for (const { address, name } of chain.tokens) {
    const contract = { address: address as Hex, abi: erc20Abi } as const;
    expect(await client.readContract({ ...contract, functionName: 'name' })).toBe(name);
  }
});

it('tokens of a chain of two million blocks say their names, and refuse balances with a reason', async () => {
  const long = simulatedChain({ seed: 'ask tokens', head: 2_000_000 });
  const node = clientOf(long);
  const contract = { address: tokenOf('USDR').address, abi: erc20Abi } as const;
  expect(await node.readContract({ ...contract, functionName: 'name' })).toBe('Rake Dollar');
  expect(await node.readContract({ ...contract, functionName: 'decimals' })).toBe(6);
  const owner = long.addresses(1)[0] as Hex;
  const reason = /balances are known up to block 300,000 of this chain only/;
  const refusals = [
    node.readContract({ ...contract, functionName: 'totalSupply' }),
    node.readContract({ ...contract, functionName: 'balanceOf', args: [owner] }),
    node.getBalance({ address: owner }),
    node.getTransactionCount({ address: owner }),
  ];
  for (const refusal of refusals) await expect(refusal).rejects.toThrow(reason);
  const early = { blockNumber: 10n } as const;
  expect(await node.getBalance({ address: owner, ...early })).toBe(
    long.allocationWei(owner) + (balancesAt(long, 10).native.get(owner) ?? 0n),
  );
  const future = node.readContract({ ...contract, functionName: 'name', blockNumber: 2_000_001n });
  await expect(future).rejects.toThrow(/no such block/);
});

it('the supply of a token is the sum of its balances, with those before the first block', async () => {
  const { address } = tokenOf('USDR');
  const contract = { address, abi: erc20Abi } as const;
  const moves = transfers.filter(({ tokenAddress }) => tokenAddress === address);
  const allocated = chain.tokenAllocations.get(address) ?? 0n;
  const units = new Map([...chain.allocations.keys()].map((owner) => [owner, allocated]));
  for (const { from, to, units: moved } of moves) {
    units.set(from, (units.get(from) ?? 0n) - moved);
    units.set(to, (units.get(to) ?? 0n) + moved);
  }
  const held = [...units.values()].filter((amount) => amount > 0n);
  const expected = held.reduce((sum, amount) => sum + amount, 0n) / 10n ** 12n;
  expect(expected).toBeGreaterThan(6000n * 10n ** 24n);
  expect(await client.readContract({ ...contract, functionName: 'totalSupply' })).toBe(expected);
});

it('the owner of a token with an id is who got it last, and unknown ids are refused', async () => {
  const { address } = tokenOf('BALE');
  const contract = { address, abi: erc721Abi, functionName: 'ownerOf' } as const;
  const owners = new Map<string, string>();
  for (const { tokenAddress, tokenId, to } of transfers) {
    if (tokenAddress === address && !/^0x0+$/.test(to)) owners.set(tokenId, to);
    else if (tokenAddress === address) owners.delete(tokenId);
  }
  expect(owners.size).toBeGreaterThan(3);
  for (const [id, owner] of [...owners].slice(0, 20)) {
    const told = await client.readContract({ ...contract, args: [BigInt(id)] });
    expect(told.toLowerCase()).toBe(owner);
  }
  const unknown = client.readContract({ ...contract, args: [999_999_999_999n] });
  await expect(unknown).rejects.toThrow('reverted');
});
