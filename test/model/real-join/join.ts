import type { Asked } from './asked.ts';
import { amounts, type Cell, double, hasSucceeded, placed, type Row, served } from './cells.ts';
import { ledger } from './ledger.ts';
import { heightOf, names, type Real, type RealRecords } from './records.ts';

/**
 * The curated tables that an export of real records must have, joined from the records alone. The
 * lists and their fields are typed here from the text of the interface.
 */

const DETAILS = 'mainchain/block/block-fills';
const BLOCK_LIST = 'mainchain/block/block-list';
const BLOCK = 'mainchain/block/transaction-list';
const BY_ADDRESS = 'mainchain/address/normal-transaction-list-multi';
const BY_HASH = 'mainchain/transaction/transaction-multi';
const INTERNAL_BY_ADDRESS = 'mainchain/address/internal-transaction-list-multi';
const INTERNAL_BY_HASH = 'mainchain/transaction/internal-transaction-detail';
const TOKEN_BY_ADDRESS = 'mainchain/address/token-transaction-list';
const TOKEN_BY_CONTRACT = 'mainchain/token/transaction-list';
const TOKEN_BY_HASH = 'mainchain/transaction/token-transfer-multi';

/** The rows of all eleven curated tables. The records have no ranking and no zone chain. */
export function joinReal(records: RealRecords, asked: Asked): ReadonlyMap<string, readonly Row[]> {
  const transactions = transactionRows(records.transactions, asked);
  const statuses = new Map(transactions.map((row) => [row['tx_hash'], row['tx_status'] ?? null]));
  const statusOf = ({ txId }: Real): Cell => statuses.get(String(txId)) ?? null;
  const internals = internalRows(records.internal_transactions, asked, statusOf);
  const transfers = transferRows(records.token_transfers, asked, statusOf);
  return new Map([
    ['transactions', transactions],
    ['internal_transactions', internals],
    ['token_transfers', transfers],
    ['blocks', blockRows(records.blocks, asked)],
    ['native_holders', []],
    ['address_activity', ledger({ transactions, internals, transfers }, asked)],
    ['zone_transactions', []],
    ['zone_blocks', []],
    ['cross_chain_transfers', []],
    ['zone_address_activity', []],
    ['cross_chain_journeys', []],
  ]);
}

function coverage(record: Real, { head }: Asked, endpoints: readonly string[]): Row {
  const status = heightOf(record) < head ? 'complete' : 'provisional';
  return { coverage_status: status, sources: [...endpoints].sort().join() };
}

/** One row per transaction: a field is known if one of the lists that hold it serves the field. */
function transactionRows(records: readonly Real[], asked: Asked): Row[] {
  const placeInBlock = counter();
  return newestFirst(records).flatMap((record) => {
    const height = heightOf(record);
    const place = placeInBlock(record['height']);
    const isOfAddress = names(record, asked.addresses);
    const isLookedUp = isOfAddress && height >= asked.transactionsFrom;
    const isInBlock = asked.wholeBlocks.has(height);
    if (!isOfAddress && !isInBlock) return [];
    const status = served(record, 'state', isLookedUp || isInBlock);
    const inOrder = [isOfAddress && BY_ADDRESS, isLookedUp && BY_HASH, isInBlock && BLOCK];
    const row: Row = {
      ...placed(record, 'transactionTime'),
      tx_hash: served(record, 'txId'),
      ...parties(record),
      ...amounts('amount', served(record, 'amount')),
      amount_double: double(served(record, 'amount')),
      symbol: served(record, 'symbol'),
      ...amounts('tx_fee', served(record, 'txFee')),
      tx_status: status,
      succeeded: hasSucceeded(status),
      method_id: served(record, 'methodId'),
      nonce: served(record, 'nonce', isOfAddress),
      tx_type: served(record, 'transactionType', isOfAddress),
      gas_used: served(record, 'gasUsed', isOfAddress),
      gas_limit: served(record, 'gasLimit', isOfAddress),
      gas_price: served(record, 'gasPrice', isOfAddress),
      block_hash: served(record, 'blockHash'),
      token_address: null,
      token_id: null,
      list_position: isInBlock ? place : null,
      ...coverage(
        record,
        asked,
        inOrder.filter((each) => each !== false),
      ),
    };
    return [row];
  });
}

/** What tells one call, or one transfer, from others of its transaction. */
const CALL = ['height', 'txId', 'from', 'to', 'amount'];
const TRANSFER = [...CALL, 'tokenContractAddress', 'protocolType', 'tokenId'];

/** Every call as the best list has it: of its transaction, of its addresses, of its block. */
function internalRows(
  records: readonly Real[],
  asked: Asked,
  statusOf: (record: Real) => Cell,
): Row[] {
  const isOfAddress = (record: Real): boolean => names(record, asked.addresses);
  const lookedUp = hashesOf(records.filter(isOfAddress), asked.internalsFrom);
  const agreed = fieldOfAll(records, CALL);
  const copies = counter();
  const placeInBlock = counter();
  const placeInTransaction = counter();
  return newestFirst(records).flatMap((record) => {
    const inBlock = placeInBlock(record['height']);
    const inTransaction = placeInTransaction(record['txId']);
    const lists = [
      lookedUp.has(String(record['txId'])) && INTERNAL_BY_HASH,
      isOfAddress(record) && INTERNAL_BY_ADDRESS,
      asked.wholeBlocks.has(heightOf(record)) && BLOCK,
    ].filter((each) => each !== false);
    const [best, ...others] = lists;
    if (best === undefined) return [];
    const by = (servers: readonly string[], field: string): Cell => {
      if (servers.includes(best)) return served(record, field);
      return others.some((each) => servers.includes(each)) ? agreed(record, field) : null;
    };
    const failed = statusOf(record) === 'fail' ? 'fail' : null;
    const status = by([INTERNAL_BY_HASH, BLOCK], 'state') ?? failed;
    const row: Row = {
      ...placed(record, 'transactionTime'),
      tx_hash: served(record, 'txId'),
      operation: by([INTERNAL_BY_HASH, INTERNAL_BY_ADDRESS], 'operation'),
      ...parties(record),
      ...amounts('amount', served(record, 'amount')),
      amount_double: double(served(record, 'amount')),
      tx_status: status,
      succeeded: hasSucceeded(status),
      block_hash: by([INTERNAL_BY_ADDRESS, BLOCK], 'blockHash'),
      symbol: null,
      ...amounts('tx_fee', null),
      token_address: null,
      token_id: null,
      method_id: null,
      list_position: best === BLOCK ? inBlock : best === INTERNAL_BY_HASH ? inTransaction : null,
      block_position: blockPosition(lists, inBlock, agreed.copies(record)),
      ...coverage(record, asked, lists),
    };
    return [{ ...row, occurrence: copies(apartFromPlaces(row)) }];
  });
}

/** Every transfer as the best list has it: of its transaction, address, contract, block. */
function transferRows(
  records: readonly Real[],
  asked: Asked,
  statusOf: (record: Real) => Cell,
): Row[] {
  const isOfHolder = (record: Real): boolean => names(record, asked.holders);
  const lookedUp = hashesOf(records.filter(isOfHolder), asked.transfersFrom);
  const agreed = fieldOfAll(records, TRANSFER);
  const copies = counter();
  const placeInBlock = counter();
  const placeInTransaction = counter();
  return newestFirst(records).flatMap((record) => {
    // Every kind of token is a list of its own.
    const standard = record['protocolType'];
    const inBlock = placeInBlock(`${record['height']} ${standard}`);
    const inTransaction = placeInTransaction(`${record['txId']} ${standard}`);
    const lists = [
      lookedUp.has(String(record['txId'])) && TOKEN_BY_HASH,
      isOfHolder(record) && TOKEN_BY_ADDRESS,
      asked.tokens.has(String(record['tokenContractAddress'])) && TOKEN_BY_CONTRACT,
      asked.wholeBlocks.has(heightOf(record)) && BLOCK,
    ].filter((each) => each !== false);
    const [best, ...others] = lists;
    if (best === undefined) return [];
    const servers = [TOKEN_BY_CONTRACT, BLOCK];
    const byThese = (field: string): Cell => {
      if (servers.includes(best)) return served(record, field);
      return others.some((each) => servers.includes(each)) ? agreed(record, field) : null;
    };
    const status = byThese('state') ?? statusOf(record);
    const row: Row = {
      ...placed(record, 'transactionTime'),
      tx_hash: served(record, 'txId'),
      token_address: served(record, 'tokenContractAddress'),
      token_standard: served(record, 'protocolType'),
      token_id: served(record, 'tokenId'),
      symbol: served(record, 'symbol'),
      ...parties(record),
      ...amounts('amount', served(record, 'amount')),
      amount_double: double(served(record, 'amount')),
      tx_status: status,
      succeeded: hasSucceeded(status),
      block_hash: served(record, 'blockHash'),
      method_id: byThese('methodId'),
      ...amounts('tx_fee', null),
      list_position: best === BLOCK ? inBlock : best === TOKEN_BY_HASH ? inTransaction : null,
      block_position: blockPosition(lists, inBlock, agreed.copies(record)),
      ...coverage(record, asked, lists),
    };
    return [{ ...row, occurrence: copies(apartFromPlaces(row)) }];
  });
}

/** The place in the list of the block; unknown if another list is shown, and there are copies. */
function blockPosition(lists: readonly string[], place: string, copies: number): Cell {
  if (!lists.includes(BLOCK)) return null;
  return lists[0] === BLOCK || copies === 1 ? place : null;
}

function apartFromPlaces(row: Row): string {
  return JSON.stringify({ ...row, list_position: null, block_position: null });
}

/** The value of a field if all copies of a record have the same, and the number of copies. */
function fieldOfAll(records: readonly Real[], identity: readonly string[]) {
  const idOf = (record: Real): string => identity.map((field) => record[field]).join(' ');
  const alike = new Map<string, Real[]>();
  for (const record of records) {
    const id = idOf(record);
    const known = alike.get(id);
    if (known === undefined) alike.set(id, [record]);
    else known.push(record);
  }
  const of = (record: Real): readonly Real[] => alike.get(idOf(record)) ?? [];
  const agreed = (record: Real, field: string): Cell => {
    const values = new Set(of(record).map((each) => served(each, field)));
    return values.size === 1 ? served(record, field) : null;
  };
  return Object.assign(agreed, { copies: (record: Real) => of(record).length });
}

function blockRows(records: readonly Real[], asked: Asked): Row[] {
  return records.flatMap((record) => {
    const hasDetails = heightOf(record) >= asked.detailsFrom;
    const isListed = heightOf(record) >= asked.blockListFrom;
    if (!hasDetails && !isListed) return [];
    const detail = (field: string): Cell => served(record, field, hasDetails);
    const row: Row = {
      ...placed(record, 'blockTime'),
      block_hash: served(record, 'hash'),
      block_state: served(record, 'state'),
      txn_count: served(record, 'txnCount'),
      txn_internal: detail('txnInternal'),
      ...amounts('amount', detail('amount')),
      amount_double: double(detail('amount')),
      ...amounts('mine_reward', served(record, 'mineReward')),
      ...amounts('total_fee', served(record, 'totalFee')),
      fee_symbol: served(record, 'feeSymbol'),
      ...amounts('avg_fee', served(record, 'avgFee', isListed)),
      ...amounts('burnt', served(record, 'burnt')),
      gas_used: served(record, 'gasUsed'),
      gas_limit: served(record, 'gasLimit'),
      ...amounts('gas_avg_price', served(record, 'gasAvgPrice')),
      ...amounts('base_fee_per_gas', detail('baseFeePerGas')),
      ...amounts('tips', detail('tips')),
      validator: served(record, 'validator'),
      miner: detail('miner'),
      ommer_blocks: served(record, 'ommerBlock'),
      block_size: served(record, 'blockSize'),
      merkle_root: detail('merkleRootHash'),
      difficulty: detail('difficulty'),
      block_nonce: detail('nonce'),
      confirmations: detail('confirm'),
      chain_full_name: detail('chainFullName'),
      chain_short_name: detail('chainShortName'),
      ...coverage(
        record,
        asked,
        [hasDetails && DETAILS, isListed && BLOCK_LIST].filter((each) => each !== false),
      ),
    };
    return [row];
  });
}

function parties(record: Real): Row {
  return {
    from_address: served(record, 'from'),
    to_address: served(record, 'to'),
    from_is_contract: served(record, 'isFromContract'),
    to_is_contract: served(record, 'isToContract'),
  };
}

/** In the order of answers: the service lists the newest record first. */
function newestFirst(records: readonly Real[]): readonly Real[] {
  return records.toReversed();
}

function hashesOf(records: readonly Real[], from: number): ReadonlySet<string> {
  const wanted = records.filter((record) => heightOf(record) >= from);
  return new Set(wanted.map(({ txId }) => String(txId)));
}

/** Numbers equal values from 1. */
function counter(): (value: unknown) => string {
  const counts = new Map<unknown, number>();
  return (value) => {
    const count = (counts.get(value) ?? 0) + 1;
    counts.set(value, count);
    return String(count);
  };
}
