import type { Mapping } from '../../json-in.ts';
import type { Movement } from './movement.ts';
import {
  abiWord,
  hex,
  lowerText,
  type NodeQuestion,
  objectsIn,
  question,
  WORD_DIGITS,
  wholeIn,
} from './question.ts';

/** keccak256 of Transfer(address,address,uint256), TransferSingle(...) and TransferBatch(...). */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
const BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';

/** The transfers that a token states in its events, in the blocks of a range. */
export interface EventsAsked {
  readonly token: string;
  readonly from: number;
  readonly to: number;
  /** Only transfers from or to an address; without it, all of them. */
  readonly party?: { readonly address: string; readonly side: 'from' | 'to' };
  readonly isMulti: boolean;
}

export function transferEvents({
  token,
  from,
  to,
  party,
  isMulti,
}: EventsAsked): NodeQuestion<readonly Movement[]> {
  const before = isMulti ? [[SINGLE, BATCH], null] : [TRANSFER];
  const address = party && `0x${abiWord(party.address)}`;
  const parties = address === undefined ? [] : party?.side === 'from' ? [address] : [null, address];
  const filter = {
    address: token,
    fromBlock: hex(from),
    toBlock: hex(to),
    topics: [...before, ...parties],
  };
  return question('eth_getLogs', [filter], (result) => {
    const logs = objectsIn(result)?.map(movementsIn);
    return logs?.every((log) => log !== undefined) ? logs.flat() : undefined;
  });
}

/** The movements of an event; undefined for an event of another form. */
function movementsIn(log: Mapping): readonly Movement[] | undefined {
  const topics = (Array.isArray(log['topics']) ? log['topics'] : []).map(lowerText);
  const [height, index] = [wholeIn(log['blockNumber']), wholeIn(log['logIndex'])];
  const words = wordsIn(log['data']);
  if (height === undefined || index === undefined || words === undefined) return undefined;
  const base = {
    leg: 'token',
    height: Number(height),
    txHash: lowerText(log['transactionHash']) ?? null,
    logIndex: Number(index),
  } as const;
  const [event, ...rest] = topics;
  if (event === TRANSFER) {
    const [from, to] = [partyIn(rest[0]), partyIn(rest[1])];
    if (rest[2] !== undefined) {
      return [{ ...base, from, to, amount: 1n, tokenId: String(BigInt(rest[2])) }];
    }
    return [{ ...base, from, to, amount: words[0] ?? 0n, tokenId: null }];
  }
  const [from, to] = [partyIn(rest[1]), partyIn(rest[2])];
  if (event === SINGLE) {
    return [{ ...base, from, to, amount: words[1] ?? 0n, tokenId: String(words[0] ?? 0n) }];
  }
  if (event !== BATCH) return [];
  const [ids, amounts] = [arrayAt(words, 0), arrayAt(words, 1)];
  return ids.map((id, at) => {
    return { ...base, from, to, amount: amounts[at] ?? 0n, tokenId: String(id) };
  });
}

function partyIn(topic: string | undefined): string | null {
  return topic === undefined ? null : `0x${topic.slice(-40)}`;
}

function wordsIn(data: unknown): readonly bigint[] | undefined {
  const digits = lowerText(data)?.slice(2);
  if (digits === undefined || !/^[0-9a-f]*$/.test(digits)) return undefined;
  const words: bigint[] = [];
  for (let at = 0; at + WORD_DIGITS <= digits.length; at += WORD_DIGITS) {
    words.push(BigInt(`0x${digits.slice(at, at + WORD_DIGITS)}`));
  }
  return words;
}

/** The array whose place in bytes stands in a word. */
function arrayAt(words: readonly bigint[], position: number): readonly bigint[] {
  const start = Number((words[position] ?? 0n) / 32n);
  const length = Number(words[start] ?? 0n);
  return words.slice(start + 1, start + 1 + length);
}
