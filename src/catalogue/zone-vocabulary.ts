import {
  address,
  amount,
  count,
  flag,
  hash,
  height,
  integer,
  party,
  text,
  time,
  unsigned,
} from './column-kind.ts';
import { word } from './entry.ts';

/** Columns of the zone chain, of cross-chain transfers, of holders and of verifications. */

/** Kept as served: `0x1` or `0x0`. */
export const zoneStatus = word('tx_status', text, 'Status: 0x1 success, 0x0 failure');
export const actionType = word('action_type', text, 'Action of the transaction');
export const txIndex = word('tx_index', count, 'Place of the transaction in its block');
export const zoneAmount = word(
  'amount',
  amount,
  'Amount with the precision of the token applied; often empty; amount_text is exact',
  { unit: 'token' },
);
export const amountRaw = word('amount_raw', integer, 'Amount in the smallest unit, exact', {
  unit: 'smallest unit',
});
/** A time in milliseconds on this chain, not a count of transactions. */
export const actionNonce = word('action_nonce', unsigned, 'Nonce of the action, a time in ms');
export const actionData = word('action_data', text, 'The whole action, as JSON');
export const errorMessage = word('error_message', text, 'Why the transaction failed');
export const tokenTransferCount = word('token_transfer_count', count, 'Token transfers emitted');
export const eventCount = word('event_count', count, 'Events emitted');

/** Empty in lists, and may differ from the requested hash. Join on zone_tx_hash. */
export const crossId = word('cross_id', text, 'Hash of the cross-chain transaction, may be empty');
export const direction = word('direction', text, 'MainToZone or ZoneToMain');
export const crossType = word('cross_type', text, 'Deposit, Withdraw or BatchWithdraw');
/** Volatile, because a transfer may fail after it was listed. */
export const crossStatus = word('cross_status', text, 'Status: 0x1 success, 0x0 failure');
export const mainTxHash = word(
  'main_tx_hash',
  hash,
  'Hash of the transaction on the primary chain',
);
export const mainBlockNumber = word('main_block_number', height, 'Its height on the primary chain');
export const mainBlockTime = word('main_block_time', time, 'Time of that block', { unit: 'UTC' });
export const zoneTxHash = word('zone_tx_hash', hash, 'Hash of the transaction on the zone chain');
export const zoneBlockNumber = word('zone_block_number', height, 'Its height on the zone chain');
export const zoneBlockTime = word('zone_block_time', time, 'Time of that block', { unit: 'UTC' });
export const sourceAddress = word('source_address', party, 'Who really sent');
export const targetAddress = word('target_address', party, 'Who really receives');
export const crossTokenStandard = word('token_standard', text, 'Standard of the token');
export const tokenName = word('token_name', text, 'Name of the token', { volatile: true });
export const zoneEventIndex = word('zone_event_index', count, 'Index of the event in its block');
export const zoneBlockHash = word('zone_block_hash', hash, 'Hash of the block on the zone chain');
export const batchDetail = word('batch_detail', text, 'Parts of a batch withdrawal, as JSON');
export const updateTime = word('update_time', time, 'When the record changed last', {
  unit: 'UTC',
  volatile: true,
});
export const publishedBlockNumber = word(
  'published_block_number',
  height,
  'Height on the publishing side',
);

/** The height of records in lists without heights. */
export const asOfBlock = word('as_of_block', height, 'Head of the chain when this was read');
/** Volatile, because other balances change the rank. */
export const holderRank = word('holder_rank', count, 'Rank of the balance', { volatile: true });
export const holderAddress = word('holder_address', address, 'Who holds the amount');
export const heldAmount = word(
  'amount',
  amount,
  'Amount held, in the 15 to 17 digits that the service keeps; amount_text is as served',
  { unit: 'native token' },
);

export const verificationGuid = word('verification_guid', text, 'Name of the verification job');
export const contractAddress = word('contract_address', address, 'Contract that is verified');
export const contractName = word('contract_name', text, 'Name of the contract');
export const sourceCode = word('source_code', text, 'Source of the contract');
export const codeFormat = word('code_format', text, 'Format of the source');
export const compilerVersion = word('compiler_version', text, 'Version of the compiler');
export const optimization = word('optimization', text, '0 without optimization, 1 with it');
export const optimizationRuns = word('optimization_runs', text, 'Runs of the optimizer');
export const contractAbi = word('contract_abi', text, 'ABI of the contract');
export const evmVersion = word('evm_version', text, 'EVM version; empty for the default');
export const licenseType = word('license_type', text, 'License; empty for none');
export const viaIr = word('via_ir', flag, 'Compiled through the IR-based code generator');
export const libraryInfo = word('library_info', text, 'Libraries used, as JSON');
export const submissionId = word(
  'submission_id',
  text,
  'Digest of the submitted values, and the number of the attempt',
);
/** Volatile, like all of the outcome: a job ends later. */
export const submissionState = word(
  'submission_state',
  text,
  'State: sent, accepted, unknown, succeeded or failed',
  { volatile: true },
);
export const verdict = word('verdict', text, 'Result of the job, as the service gives it', {
  volatile: true,
});
export const stateReason = word('state_reason', text, 'Why the submission has this state', {
  volatile: true,
});
export const sentTime = word('sent_time', time, 'When it was recorded, right before it was sent', {
  unit: 'UTC',
});
export const changedTime = word('changed_time', time, 'When the state changed last', {
  unit: 'UTC',
  volatile: true,
});
