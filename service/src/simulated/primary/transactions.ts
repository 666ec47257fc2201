import type { CanonicalRecord } from '../../../../src/catalogue/record.ts';
import { nativeText } from '../primitives/native.ts';
import { bigBelow, type RandomWords, randomAddress, randomBytes } from '../primitives/random.ts';
import type { RawTransaction, TransactionType } from '../primitives/raw-transactions.ts';
import { rawTransaction, SALT_WORDS } from '../primitives/raw-transactions.ts';
import type { Cause, InternalCall, Place, TokenMove } from './movements.ts';
import { internalTransactions, tokenTransfers } from './movements.ts';
import { type Population, skewed, type Turn } from './population.ts';

/**
 * An executed transaction with its movements, and the figures that its block sums. Records and the
 * raw transaction are computed on use: hashing takes most of the time, and balances do not need it.
 */
export interface Executed {
  readonly transaction: CanonicalRecord;
  readonly raw: RawTransaction;
  readonly sender: string;
  /** One address; null for a creation; several only without an amount. */
  readonly to: string | null;
  /** A failed transaction moves its fee only. */
  readonly failed: boolean;
  readonly internal: readonly InternalCall[];
  readonly transfers: readonly TokenMove[];
  readonly amountWei: bigint;
  readonly feeWei: bigint;
  /** Price above the base fee, in wei for one unit of gas. */
  readonly tipWei: bigint;
  readonly gasUsed: number;
}

/** The recipient, gas and movements of a transaction. */
export interface Purpose {
  readonly to: string | null;
  readonly methodId: string;
  readonly wei: bigint;
  readonly gasUsed: number;
  readonly happens: (cause: Cause) => Pick<Executed, 'internal' | 'transfers'>;
}

const WEI = 10n ** 18n;
const GWEI = 10n ** 9n;
const PLAIN_TRANSFER_GAS = 21_000;
const TOKEN_METHODS = ['0xa9059cbb', '0x23b872dd', '0x42842e0e', '0xf242432a'] as const;
const CONTRACT_METHODS = ['0x7ff36ab5', '0x38ed1739', '0xd0e30db0', '0x3593564c'] as const;
const NOTHING = { internal: [], transfers: [] } as const;

/** The block of a transaction. */
export interface Setting {
  readonly people: Population;
  readonly place: Place;
  /** The block's price for one unit of gas. */
  readonly baseFeeWei: bigint;
}

/** The inputs of a transaction's execution. */
interface Ordered {
  /** Random bytes for the signature of the raw transaction. */
  readonly salt: Buffer;
  readonly type: TransactionType;
  readonly purpose: Purpose;
  readonly failed: boolean;
}

/** The transaction of a turn with a random purpose. */
export function execute(setting: Setting, random: RandomWords, turn: Turn): Executed {
  const salt = randomBytes(random, SALT_WORDS);
  const drawn = transactionType(random);
  const purpose = purposeOf(setting.people, random, setting.place);
  const failed = purpose.gasUsed > PLAIN_TRANSFER_GAS && random.chance(0.05);
  // Transactions with blobs have a recipient.
  const type = drawn === '3' && purpose.to === null ? '2' : drawn;
  return executeOrdered(setting, random, turn, { salt, type, purpose, failed });
}

/** The transaction of a turn with the given purpose. */
export function executeOrdered(
  setting: Setting,
  random: RandomWords,
  turn: Turn,
  { salt, type, purpose, failed }: Ordered,
): Executed {
  const { people, place, baseFeeWei } = setting;
  const tipWei = bigBelow(random, (type === '0' || type === '1' ? 20n : 3n) * GWEI);
  const gasPriceWei = baseFeeWei + tipWei;
  const feeWei = gasPriceWei * BigInt(purpose.gasUsed);
  const status = failed ? 'fail' : 'success';
  const gasLimit = purpose.gasUsed + random.below(40) * 1000;
  const { nonce, sender } = turn;
  const { to, wei, methodId } = purpose;
  let encoded: RawTransaction | undefined;
  const raw = (): RawTransaction => {
    const order = { type, nonce, to, wei, methodId, gasLimit, baseFeeWei, tipWei, salt };
    encoded ??= rawTransaction(order);
    return encoded;
  };
  const { internal, transfers } = purpose.happens({
    get txHash() {
      return raw().hash;
    },
    sender,
    methodId,
    status,
  });
  return {
    get transaction() {
      return {
        tx_hash: raw().hash,
        block_number: String(place.height),
        block_hash: place.hash,
        block_time: place.time,
        from_address: sender,
        to_address: to,
        from_is_contract: false,
        to_is_contract: to !== null && people.isContract(to),
        amount: nativeText(wei),
        method_id: methodId === '' ? null : methodId,
        symbol: 'NATIVE',
        nonce: String(nonce),
        gas_used: String(purpose.gasUsed),
        gas_limit: String(gasLimit),
        gas_price: gasPriceWei.toString(),
        tx_fee: nativeText(feeWei),
        tx_type: type,
        tx_status: status,
      };
    },
    get raw() {
      return raw();
    },
    sender,
    to,
    failed,
    internal,
    // A failed transaction has no token transfers.
    transfers: failed ? [] : transfers,
    amountWei: wei,
    feeWei,
    tipWei,
    gasUsed: purpose.gasUsed,
  };
}

/** Includes type 3, which the interface does not document but real chains have. */
function transactionType(random: RandomWords): TransactionType {
  const kind = random.below(1000);
  if (kind < 400) return '0';
  if (kind < 420) return '1';
  return kind < 995 ? '2' : '3';
}

function purposeOf(people: Population, random: RandomWords, place: Place): Purpose {
  const kind = random.below(100);
  if (kind < 40) return plainTransfer(people, random);
  if (kind < 74) return tokenCall(people, random, place);
  return kind < 99 ? contractCall(people, random, place) : creation(people, random, place);
}

function plainTransfer(people: Population, random: RandomWords): Purpose {
  const to = people.recipient(random);
  const several = random.chance(0.005);
  const parties = several ? `${to},${people.recipient(random)}` : to;
  const wei = random.chance(0.5) ? bigBelow(random, 40n * WEI) : BigInt(random.below(1e9)) * GWEI;
  return {
    to: parties,
    methodId: '',
    // An amount to several recipients would have unknown shares.
    wei: several ? 0n : wei,
    gasUsed: PLAIN_TRANSFER_GAS,
    happens: () => NOTHING,
  };
}

function tokenCall(people: Population, random: RandomWords, place: Place): Purpose {
  const { tokens } = people;
  const index = random.chance(0.4) ? random.below(tokens.length) : skewed(random, tokens.length);
  const token = tokens[index];
  if (token === undefined) throw new RangeError(`no token ${index}`);
  return {
    to: token.address,
    methodId: TOKEN_METHODS[random.below(TOKEN_METHODS.length)] ?? '',
    wei: 0n,
    gasUsed: 40_000 + random.below(60_000),
    happens: (cause) => ({
      internal: [],
      transfers: tokenTransfers(people, random, place, cause, token),
    }),
  };
}

function contractCall(people: Population, random: RandomWords, place: Place): Purpose {
  const { contracts, tokens } = people;
  const contract = contracts[skewed(random, contracts.length)] ?? '';
  const token = random.chance(0.3) ? tokens[random.below(tokens.length)] : undefined;
  return {
    to: contract,
    methodId: CONTRACT_METHODS[random.below(CONTRACT_METHODS.length)] ?? '',
    wei: random.chance(0.4) ? bigBelow(random, 10n * WEI) : 0n,
    gasUsed: 60_000 + random.below(800_000),
    happens: (cause) => ({
      internal: internalTransactions(people, random, place, cause, {
        address: contract,
        isNew: false,
      }),
      transfers: token === undefined ? [] : tokenTransfers(people, random, place, cause, token),
    }),
  };
}

/** Creations have no recipient; the new contract calls others from its constructor. */
function creation(people: Population, random: RandomWords, place: Place): Purpose {
  const created = randomAddress(random);
  return {
    to: null,
    methodId: '0x60806040',
    wei: 0n,
    gasUsed: 300_000 + random.below(2_500_000),
    happens: (cause) => ({
      internal: internalTransactions(people, random, place, cause, {
        address: created,
        isNew: true,
      }),
      transfers: [],
    }),
  };
}
