import type { WireRecord } from '../../../src/catalogue/record.ts';
import {
  block,
  crossing,
  hashOfBlock,
  hashOfZoneBlock,
  inBlock,
  internal,
  LIST,
  transaction,
  transfer,
  zoneTransaction,
} from '../../fixtures/load-lake.ts';
import type { ChainRecord } from './universe.ts';

/** The record as the endpoint serves it. */
export function wireOf(path: string, record: ChainRecord): WireRecord {
  const { table, hash, from, to, amount, status, edition, more } = record;
  const height = String(record.height);
  const common = { height, from, to, amount };
  // Some lists lack fields that others have, and a later reading may have others.
  const symbol = edition % 3 === 1 ? '' : `S${edition}`;
  const state = path.endsWith('list-multi') ? {} : { state: status };
  const token = { tokenContractAddress: record.token, tokenId: more['tokenId'] };
  if (path === LIST.inBlock) {
    const fields = table === 'token_transfers' ? token : {};
    return inBlock({ ...common, txid: hash, state: status, transactionSymbol: symbol, ...fields });
  }
  switch (table) {
    case 'transactions':
      return transaction({ ...common, ...state, txId: hash, symbol, gasUsed: String(edition) });
    case 'internal_transactions': {
      const call = internal({ ...common, txId: hash, operation: more['operation'] });
      return path.endsWith('detail') ? { ...call, state: status } : call;
    }
    case 'token_transfers':
      return path === LIST.tokensOfContract
        ? { ...contractTransfer(record), transactionSymbol: symbol }
        : transfer({ ...common, ...token, txId: hash, symbol });
    case 'blocks':
    case 'zone_blocks':
      return blockOf(record, symbol);
    case 'native_holders':
      return { rank: String(edition + 1), symbol, holderAddress: record.token, amount };
    case 'zone_transactions':
      return zoneTransaction({
        hash,
        blockHeight: height,
        from,
        status: status === 'fail' ? '0x0' : '0x1',
        value: amount,
        index: String(edition),
        ...(path.endsWith('fills') ? { errorMessage: symbol } : {}),
      });
    default:
      return crossingOf(record, symbol);
  }
}

function contractTransfer(record: ChainRecord): WireRecord {
  const { hash, height, from, to, amount, status, token, more } = record;
  return {
    txid: hash,
    blockHash: hashOfBlock(String(height)),
    height: String(height),
    transactionTime: '1700000000123',
    from,
    to,
    isFromContract: false,
    isToContract: false,
    amount,
    methodId: '',
    tokenContractAddress: token,
    // A part of the service's records lacks it.
    protocolType: record.edition % 2 === 0 ? '' : record.standard,
    state: status,
    tokenId: more['tokenId'],
  };
}

function blockOf({ table, height, edition, ...record }: ChainRecord, symbol: string): WireRecord {
  const isPrimary = table === 'blocks';
  const blockHash = isPrimary ? hashOfBlock(String(height)) : hashOfZoneBlock(String(height));
  // Now and then a reading has another block.
  const hash = edition % 4 === 3 ? record.hash : blockHash;
  if (isPrimary) {
    return block({ hash, height: String(height), txnCount: String(edition), miner: symbol });
  }
  return {
    hash,
    height: String(height),
    miner: symbol,
    blockTime: '1700000005123',
    transactionCount: String(edition),
  };
}

function crossingOf(record: ChainRecord, symbol: string): WireRecord {
  const { hash, height, from, to, amount, status, token, more } = record;
  return crossing({
    zoneTxHash: hash,
    zoneBlockHeight: String(height),
    from,
    to,
    sourceAddress: more['source'],
    targetAddress: more['target'],
    mainTxHash: more['mainHash'],
    mainBlockHeight: more['mainHeight'],
    mainBlockTime: more['mainHeight'] === '' ? '' : '1700000000123',
    crossType: more['crossType'],
    txType: more['direction'],
    status: status === 'fail' ? '0x0' : '0x1',
    value: amount,
    tokenContractAddress: token,
    tokenName: symbol,
  });
}
