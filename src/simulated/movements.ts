import type { CanonicalRecord } from '../catalogue/record.ts';
import { nativeText } from './native.ts';
import type { Population, Token } from './population.ts';
import { skewed } from './population.ts';
import type { RandomWords } from './random.ts';
import { bigBelow, randomAddress, randomDigits } from './random.ts';

/** What happens inside a transaction: internal transactions and token transfers. */

/** The block that records are written into. */
export interface Place {
  readonly height: number;
  readonly hash: string;
  /** Milliseconds since the Unix epoch, as text. */
  readonly time: string;
}

/** The transaction that movements belong to. */
export interface Cause {
  readonly txHash: string;
  readonly sender: string;
  readonly methodId: string;
  readonly status: 'success' | 'fail';
}

const WEI = 10n ** 18n;
/** 2^256 - 1: the longest token id there is, 78 digits. */
const LARGEST_TOKEN_ID = String(2n ** 256n - 1n);
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

const OPERATIONS = ['call', 'call', 'call', 'staticcall', 'staticcall', 'delegatecall'] as const;

/**
 * The calls a transaction makes from `contract`, one to a few. Some are repeated to the letter:
 * such records are equal in every field, and all of them are real.
 */
export function internalTransactions(
  people: Population,
  random: RandomWords,
  place: Place,
  cause: Cause,
  contract: string,
): CanonicalRecord[] {
  const records: CanonicalRecord[] = [];
  const calls = 1 + skewed(random, 8);
  for (let call = 0; call < calls; call += 1) {
    const record = internalTransaction(people, random, place, cause, contract);
    const copies = random.chance(0.15) ? 2 + random.below(2) : 1;
    for (let copy = 0; copy < copies; copy += 1) records.push(record);
  }
  return records;
}

function internalTransaction(
  people: Population,
  random: RandomWords,
  place: Place,
  cause: Cause,
  contract: string,
): CanonicalRecord {
  const creates = random.chance(0.02);
  const operation = creates ? 'create' : (OPERATIONS[random.below(OPERATIONS.length)] ?? 'call');
  const toPerson = operation === 'call' && random.chance(0.7);
  const callee = people.contracts[random.below(people.contracts.length)] ?? contract;
  const to = creates ? randomAddress(random) : toPerson ? people.recipient(random) : callee;
  return {
    tx_hash: cause.txHash,
    block_number: String(place.height),
    block_hash: place.hash,
    block_time: place.time,
    operation,
    from_address: random.chance(0.003) ? `${contract},${cause.sender}` : contract,
    to_address: random.chance(0.01) ? `${to},${people.recipient(random)}` : to,
    from_is_contract: true,
    to_is_contract: creates || people.isContract(to),
    // A static call cannot carry an amount; a delegate call repeats its caller's and moves nothing.
    amount: operation === 'staticcall' ? '0' : callAmount(random),
    tx_status: cause.status,
  };
}

function callAmount(random: RandomWords): string {
  return random.chance(0.4) ? '0' : nativeText(bigBelow(random, 3n * WEI));
}

/** The transfers of one call of a token: one to a few, and now and then a whole airdrop. */
export function tokenTransfers(
  people: Population,
  random: RandomWords,
  place: Place,
  cause: Cause,
  token: Token,
): CanonicalRecord[] {
  const records: CanonicalRecord[] = [];
  const airdrop = random.chance(0.002);
  const transfers = airdrop ? 30 + random.below(60) : 1 + skewed(random, 5);
  for (let transfer = 0; transfer < transfers; transfer += 1) {
    const record = tokenTransfer(people, random, place, cause, token);
    const copies = random.chance(0.04) ? 2 + random.below(2) : 1;
    for (let copy = 0; copy < copies; copy += 1) records.push(record);
  }
  return records;
}

function tokenTransfer(
  people: Population,
  random: RandomWords,
  place: Place,
  cause: Cause,
  token: Token,
): CanonicalRecord {
  const minted = random.chance(0.03);
  const relayed = random.chance(0.1);
  const from = minted ? ZERO_ADDRESS : relayed ? people.recipient(random) : cause.sender;
  const to = people.recipient(random);
  return {
    tx_hash: cause.txHash,
    block_number: String(place.height),
    block_hash: place.hash,
    block_time: place.time,
    from_address: from,
    to_address: to,
    token_address: token.address,
    from_is_contract: false,
    to_is_contract: people.isContract(to),
    amount: tokenAmount(random, token),
    symbol: token.symbol,
    token_id: tokenId(random, token),
    token_standard: token.standard,
    method_id: cause.methodId,
    tx_status: cause.status,
  };
}

/** Raw integers of tokens without known decimals reach far beyond 20 digits before the point. */
function tokenAmount(random: RandomWords, token: Token): string {
  if (token.standard === 'token_721') return '1';
  if (token.standard === 'token_1155') return String(1 + random.below(500));
  if (token.decimals === undefined) return randomDigits(random, 12 + random.below(60));
  const whole = String(random.below(10 ** (1 + random.below(9))));
  if (token.decimals === 0 || random.chance(0.2)) return whole;
  const places = 1 + random.below(token.decimals);
  return `${whole}.${randomDigits(random, places - 1 || 1)}${1 + random.below(9)}`;
}

function tokenId(random: RandomWords, token: Token): string | null {
  if (token.standard !== 'token_721' && token.standard !== 'token_1155') return null;
  const kind = random.below(10);
  if (kind === 0) return LARGEST_TOKEN_ID;
  // Below 1.1 * 10^77, which is below 2^256.
  if (kind < 3) return `10${randomDigits(random, 76)}`;
  return String(random.below(100_000));
}
