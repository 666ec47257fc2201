import type { CanonicalRecord } from '../../../../src/catalogue/record.ts';
import { decimalOfUnits, nativeText } from '../primitives/native.ts';
import { bigBelow, type RandomWords, randomAddress, randomDigits } from '../primitives/random.ts';
import { type Population, skewed, type Token } from './population.ts';

/** Internal transactions and token transfers of a transaction. */

/** The block of the records. */
export interface Place {
  readonly height: number;
  readonly hash: string;
  /** Milliseconds since the Unix epoch, as text. */
  readonly time: string;
}

/** The transaction of the movements. */
export interface Cause {
  readonly txHash: string;
  readonly sender: string;
  readonly methodId: string;
  readonly status: 'success' | 'fail';
}

/** An internal transaction, with its movement if its transaction succeeds. */
export interface InternalCall {
  readonly record: CanonicalRecord;
  readonly from: string;
  readonly to: string;
  /** 0 for static and delegate calls, even if their records have an amount. */
  readonly movedWei: bigint;
}

/** A token transfer with its movement. */
export interface TokenMove {
  readonly record: CanonicalRecord;
  readonly from: string;
  readonly to: string;
  readonly tokenAddress: string;
  /** '' for tokens without ids. */
  readonly tokenId: string;
  /** In units of 10^-18 of what the record shows. */
  readonly units: bigint;
}

/** The input of `internalCall`. */
interface Call {
  readonly operation: string;
  readonly from: string;
  readonly to: string;
  readonly toIsContract: boolean;
  readonly wei: bigint;
}

/** The input of `tokenMove`. */
interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly fromIsContract: boolean;
  readonly toIsContract: boolean;
  readonly token: Token;
  readonly tokenId: string | null;
  /** In units of 10^-18 of what the record shows. */
  readonly units: bigint;
}

const WEI = 10n ** 18n;
/** 2^256 - 1, the largest token id, with 78 digits. */
const LARGEST_TOKEN_ID = String(2n ** 256n - 1n);
/** Decimal places of the units of all tokens, at least those of any simulated token. */
export const TOKEN_PLACES = 18;
const WHOLE_UNITS = 10n ** BigInt(TOKEN_PLACES);
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

const OPERATIONS = ['call', 'call', 'call', 'staticcall', 'staticcall', 'delegatecall'] as const;

/** The internal transaction of a call. Where a side has several addresses, the amount must be 0. */
export function internalCall(place: Place, cause: Cause, call: Call): InternalCall {
  const { operation, from, to, wei } = call;
  return {
    get record() {
      return {
        tx_hash: cause.txHash,
        block_number: String(place.height),
        block_hash: place.hash,
        block_time: place.time,
        operation,
        from_address: from,
        to_address: to,
        from_is_contract: true,
        to_is_contract: call.toIsContract,
        amount: nativeText(wei),
        tx_status: cause.status,
      };
    },
    from,
    to,
    movedWei: operation === 'call' || operation === 'create' ? wei : 0n,
  };
}

/** The token transfer with its record. */
export function tokenMove(place: Place, cause: Cause, transfer: Transfer): TokenMove {
  const { from, to, token, tokenId, units } = transfer;
  return {
    get record() {
      return {
        tx_hash: cause.txHash,
        block_number: String(place.height),
        block_hash: place.hash,
        block_time: place.time,
        from_address: from,
        to_address: to,
        token_address: token.address,
        from_is_contract: transfer.fromIsContract,
        to_is_contract: transfer.toIsContract,
        amount: decimalOfUnits(units, TOKEN_PLACES),
        symbol: token.symbol,
        token_id: tokenId,
        token_standard: token.standard,
        method_id: cause.methodId,
        tx_status: cause.status,
      };
    },
    from,
    to,
    tokenAddress: token.address,
    tokenId: tokenId ?? '',
    units,
  };
}

/**
 * The calls of a transaction from `contract`, one or more. Some are repeated: their records are
 * equal in every field but distinct calls. A contract in creation has no balance, so its calls have
 * an amount of 0.
 */
export function internalTransactions(
  people: Population,
  random: RandomWords,
  place: Place,
  cause: Cause,
  contract: { readonly address: string; readonly isNew: boolean },
): InternalCall[] {
  const made: InternalCall[] = [];
  const calls = 1 + skewed(random, 8);
  for (let nth = 0; nth < calls; nth += 1) {
    const call = callOf(people, random, cause, contract.address);
    const done = internalCall(place, cause, contract.isNew ? { ...call, wei: 0n } : call);
    const copies = random.chance(0.15) ? 2 + random.below(2) : 1;
    for (let copy = 0; copy < copies; copy += 1) made.push(done);
  }
  return made;
}

function callOf(people: Population, random: RandomWords, cause: Cause, contract: string): Call {
  const creates = random.chance(0.02);
  const operation = creates ? 'create' : (OPERATIONS[random.below(OPERATIONS.length)] ?? 'call');
  const toPerson = operation === 'call' && random.chance(0.7);
  const callee = people.contracts[random.below(people.contracts.length)] ?? contract;
  const to = creates ? randomAddress(random) : toPerson ? people.recipient(random) : callee;
  const severalFrom = random.chance(0.003);
  const severalTo = random.chance(0.01);
  const call = {
    operation,
    from: severalFrom ? `${contract},${cause.sender}` : contract,
    to: severalTo ? `${to},${people.recipient(random)}` : to,
    toIsContract: creates || people.isContract(to),
  };
  // A static call cannot carry an amount; a delegate call repeats its caller's and moves nothing.
  const wei = operation === 'staticcall' ? 0n : callWei(random);
  // An amount between several addresses would have unknown shares.
  return { ...call, wei: severalFrom || severalTo ? 0n : wei };
}

function callWei(random: RandomWords): bigint {
  return random.chance(0.4) ? 0n : bigBelow(random, 3n * WEI);
}

/** The transfers of one call of a token: one to a few, sometimes an airdrop. */
export function tokenTransfers(
  people: Population,
  random: RandomWords,
  place: Place,
  cause: Cause,
  token: Token,
): TokenMove[] {
  const made: TokenMove[] = [];
  const airdrop = random.chance(0.002);
  const transfers = airdrop ? 30 + random.below(60) : 1 + skewed(random, 5);
  for (let nth = 0; nth < transfers; nth += 1) {
    const done = tokenMove(place, cause, transferOf(people, random, cause, token));
    const copies = random.chance(0.04) ? 2 + random.below(2) : 1;
    for (let copy = 0; copy < copies; copy += 1) made.push(done);
  }
  return made;
}

function transferOf(people: Population, random: RandomWords, cause: Cause, token: Token): Transfer {
  const minted = random.chance(0.03);
  const relayed = random.chance(0.1);
  const from = minted ? ZERO_ADDRESS : relayed ? people.recipient(random) : cause.sender;
  const to = people.recipient(random);
  return {
    from,
    to,
    fromIsContract: false,
    toIsContract: people.isContract(to),
    token,
    units: tokenUnits(random, token),
    tokenId: tokenId(random, token),
  };
}

/** The units of a transfer. Tokens without known decimals have integers of more than 20 digits. */
function tokenUnits(random: RandomWords, token: Token): bigint {
  if (token.standard === 'token_721') return WHOLE_UNITS;
  if (token.standard === 'token_1155') return BigInt(1 + random.below(500)) * WHOLE_UNITS;
  if (token.decimals === undefined) {
    return BigInt(randomDigits(random, 12 + random.below(60))) * WHOLE_UNITS;
  }
  const whole = BigInt(random.below(10 ** (1 + random.below(9)))) * WHOLE_UNITS;
  if (token.decimals === 0 || random.chance(0.2)) return whole;
  const places = 1 + random.below(token.decimals);
  const fraction = `${randomDigits(random, places - 1 || 1)}${1 + random.below(9)}`;
  return whole + BigInt(fraction.padEnd(TOKEN_PLACES, '0'));
}

function tokenId(random: RandomWords, token: Token): string | null {
  if (token.standard !== 'token_721' && token.standard !== 'token_1155') return null;
  const kind = random.below(10);
  if (kind === 0) return LARGEST_TOKEN_ID;
  // Below 1.1 * 10^77, which is below 2^256.
  if (kind < 3) return `10${randomDigits(random, 76)}`;
  return String(random.below(100_000));
}
