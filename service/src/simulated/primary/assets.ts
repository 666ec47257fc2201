import { NATIVE_PLACES } from '../primitives/native.ts';
import { bigBelow, type RandomWords, randomDigits } from '../primitives/random.ts';
import type { Token } from './population.ts';

/** The assets of crossings. */

/** The conventional address of the native token, which has no contract. */
export const NATIVE_TOKEN_ADDRESS = `0x${'0'.repeat(40)}`;

export interface Asset {
  /** undefined for the native token. */
  readonly token: Token | undefined;
  readonly tokenAddress: string;
  readonly standard: 'ERC20' | 'ERC1155';
  readonly name: string;
  /** Decimal places of amounts. */
  readonly places: number;
}

const CROSSING_TOKENS = [
  { symbol: 'HAY', standard: 'ERC20' },
  { symbol: 'USDR', standard: 'ERC20' },
  { symbol: 'SEED', standard: 'ERC1155' },
] as const;

/** The assets that cross, the native token first. */
export function assetsOf(tokens: readonly Token[]): readonly Asset[] {
  const native: Asset = {
    token: undefined,
    tokenAddress: NATIVE_TOKEN_ADDRESS,
    standard: 'ERC20',
    name: 'Native Token',
    places: NATIVE_PLACES,
  };
  const others = CROSSING_TOKENS.map(({ symbol, standard }) => {
    const token = tokens.find((candidate) => candidate.symbol === symbol);
    if (token?.decimals === undefined) throw new RangeError(`no token ${symbol} with decimals`);
    const { address, name, decimals } = token;
    return { token, tokenAddress: address, standard, name, places: decimals };
  });
  return [native, ...others];
}

/** The amount of a crossing, in the asset's smallest unit, above 0. */
export function rawAmount(random: RandomWords, asset: Asset): bigint {
  if (asset.standard === 'ERC1155') return BigInt(1 + random.below(40));
  const whole = 10n ** BigInt(asset.places);
  // A part of the amounts are round numbers, as with real users.
  if (random.chance(0.3)) return BigInt(1 + random.below(20)) * whole;
  return 1n + bigBelow(random, (asset.token === undefined ? 20n : 5000n) * whole);
}

/** The token id of a crossing: mostly one of twelve, sometimes one of 77 digits. */
export function crossingTokenId(random: RandomWords, asset: Asset): string | null {
  if (asset.standard !== 'ERC1155') return null;
  return random.chance(0.1) ? `10${randomDigits(random, 75)}` : String(random.below(12));
}
