import { NATIVE_PLACES } from '../primitives/native.ts';
import type { RandomWords } from '../primitives/random.ts';
import { bigBelow, randomDigits } from '../primitives/random.ts';
import type { Token } from './population.ts';

/** The assets that can cross between the chains. */

/** The native token has no contract; by convention it crosses under this address. */
export const NATIVE_TOKEN_ADDRESS = `0x${'0'.repeat(40)}`;

export interface Asset {
  /** undefined for the native token. */
  readonly token: Token | undefined;
  readonly tokenAddress: string;
  readonly standard: 'ERC20' | 'ERC1155';
  readonly name: string;
  /** Decimal places: the power of ten between raw integers and amounts. */
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
    const token = tokens.find((each) => each.symbol === symbol);
    if (token?.decimals === undefined) throw new RangeError(`no token ${symbol} with decimals`);
    const { address, name, decimals } = token;
    return { token, tokenAddress: address, standard, name, places: decimals };
  });
  return [native, ...others];
}

/** A positive amount to cross, in the asset's smallest unit. */
export function rawAmount(random: RandomWords, asset: Asset): bigint {
  if (asset.standard === 'ERC1155') return BigInt(1 + random.below(40));
  const whole = 10n ** BigInt(asset.places);
  // Round amounts, as from manual transfers; programs use arbitrary ones.
  if (random.chance(0.3)) return BigInt(1 + random.below(20)) * whole;
  return 1n + bigBelow(random, (asset.token === undefined ? 20n : 5000n) * whole);
}

/** A token id to cross: mostly one of a dozen, sometimes one of 77 digits. */
export function crossingTokenId(random: RandomWords, asset: Asset): string | null {
  if (asset.standard !== 'ERC1155') return null;
  return random.chance(0.1) ? `10${randomDigits(random, 75)}` : String(random.below(12));
}
