import {
  type BlockBody,
  blockBody,
  callsIn,
  rewardOf,
  tracesIn,
} from '../../fetch/witness/block-contents.ts';
import { transferEvents } from '../../fetch/witness/events.ts';
import type { Movement } from '../../fetch/witness/movement.ts';
import {
  type NodeQuestion,
  type Receipt,
  receiptOf,
  receiptsIn,
} from '../../fetch/witness/question.ts';
import type { NodeReading, Witnesses } from '../../fetch/witness/witnesses.ts';
import type { BalanceSubject } from './subject.ts';

/** The movements of a subject in a block, as the nodes state them. */
export interface ChainMovements {
  readonly movements: readonly Movement[];
  /** Whether calls inside of transactions are among them. */
  readonly hasInternal: boolean;
  /** Why there are none. */
  readonly reason?: string;
  /** Calls to a node. */
  readonly calls: number;
}

/** The contents of blocks, each read once for all subjects. */
export class ChainBlocks {
  readonly #witnesses: Witnesses;
  readonly #read = new Map<string, NodeReading<unknown>>();
  #calls = 0;
  /** False once no node has answered that kind of question. */
  readonly #isAnswered = new Map<string, boolean>();

  constructor(witnesses: Witnesses) {
    this.#witnesses = witnesses;
  }

  async movements(
    subject: BalanceSubject,
    height: number,
    hashes: readonly string[],
  ): Promise<ChainMovements> {
    this.#calls = 0;
    const reading = await this.#movementsOf(subject, height, hashes);
    const isWhole = { movements: [], hasInternal: reading.reason === undefined };
    return { ...isWhole, ...reading, calls: this.#calls };
  }

  async #movementsOf(
    subject: BalanceSubject,
    height: number,
    hashes: readonly string[],
  ): Promise<Partial<ChainMovements>> {
    const { kind, address, token } = subject;
    if (kind !== 'native' && kind !== 'nonce') {
      const isMulti = kind === 'token_1155';
      const range = { token: token ?? '', from: height, to: height, isMulti };
      const events = await this.#once(transferEvents(range));
      if ('reason' in events) return events;
      return { movements: this.#ofSubject(subject, events.value) };
    }
    const body = await this.#once(blockBody(height));
    if ('reason' in body) return body;
    if (kind === 'nonce') return { movements: sentIn(body.value, address, height) };
    return this.#native(address, height, body.value, hashes);
  }

  /** The events of a token in all blocks of a range that name the address. */
  async eventsOf(subject: BalanceSubject): Promise<ChainMovements> {
    const { address, token, from, to, kind } = subject;
    const isMulti = kind === 'token_1155';
    const sides = ['from', 'to'] as const;
    const readings = await this.#witnesses.ask(
      sides.map((side) =>
        transferEvents({ token: token ?? '', from, to, party: { address, side }, isMulti }),
      ),
    );
    const movements: Movement[] = [];
    for (const reading of readings) {
      if ('reason' in reading) {
        return { movements: [], hasInternal: true, reason: reading.reason, calls: 2 };
      }
      movements.push(...reading.value);
    }
    return { movements: this.#ofSubject(subject, movements), hasInternal: true, calls: 2 };
  }

  #ofSubject({ address, tokenId }: BalanceSubject, events: readonly Movement[]): Movement[] {
    return events.filter(
      ({ from, to, tokenId: id }) =>
        (from === address || to === address) && (tokenId === null || id === tokenId),
    );
  }

  async #native(
    address: string,
    height: number,
    body: BlockBody,
    hashes: readonly string[],
  ): Promise<Partial<ChainMovements>> {
    const transactions = body.transactions.filter(({ hash, from, to }) => {
      return from === address || to === address || hashes.includes(hash) || to === null;
    });
    const receipts = await this.#receipts(
      height,
      transactions.map(({ hash }) => hash),
    );
    if ('reason' in receipts) return receipts;
    const movements = transactions.flatMap(({ hash, from, to, value }): Movement[] => {
      const receipt = receipts.value.get(hash);
      if (receipt === undefined) return [];
      const base = { height, txHash: hash, logIndex: null, from, tokenId: null };
      const recipient = to ?? receipt.created ?? null;
      const amount = receipt.isSuccess ? value : 0n;
      return [
        { ...base, leg: 'fee', to: null, amount: receipt.fee },
        { ...base, leg: 'value', to: recipient, amount },
      ];
    });
    if (body.miner === address && receipts.isWhole) {
      const all = [...receipts.value.values()];
      const burnt = all.reduce((sum, { gasUsed }) => sum + gasUsed * body.baseFee, 0n);
      const tips = all.reduce((sum, { fee }) => sum + fee, 0n) - burnt;
      movements.push(rewardOf(address, tips, height));
    }
    const internal = await this.#internal(height);
    const unlisted = [...body.withdrawals, ...(internal ?? [])];
    const isOwn = ({ from, to }: Movement) => from === address || to === address;
    return {
      movements: [...movements, ...unlisted].filter(isOwn),
      hasInternal: internal !== undefined,
    };
  }

  async #receipts(height: number, hashes: readonly string[]) {
    const whole = await this.#optional(receiptsIn(height));
    if (whole !== undefined) return { value: byHash(whole), isWhole: true };
    const readings = await this.#witnesses.ask(hashes.map(receiptOf));
    this.#calls += hashes.length;
    const receipts: Receipt[] = [];
    for (const reading of readings) {
      if ('reason' in reading) return { reason: reading.reason };
      if (reading.value !== null) receipts.push(reading.value);
    }
    return { value: byHash(receipts), isWhole: false };
  }

  /** undefined if the nodes do not trace transactions. */
  async #internal(height: number): Promise<readonly Movement[] | undefined> {
    return (await this.#optional(tracesIn(height))) ?? (await this.#optional(callsIn(height)));
  }

  /** The value of a question that not all nodes answer. */
  async #optional<T>(question: NodeQuestion<T>): Promise<T | undefined> {
    const { method } = question.call.entry;
    if (this.#isAnswered.get(method) === false) return undefined;
    const reading = await this.#once(question);
    this.#isAnswered.set(method, 'value' in reading);
    return 'value' in reading ? reading.value : undefined;
  }

  async #once<T>(question: NodeQuestion<T>): Promise<NodeReading<T>> {
    const key = JSON.stringify([question.call.entry.method, question.call.params]);
    const read = this.#read.get(key) as NodeReading<T> | undefined;
    if (read !== undefined) return read;
    this.#calls += 1;
    const [reading = { reason: 'no answer' }] = await this.#witnesses.ask([question]);
    this.#read.set(key, reading);
    if (this.#read.size > KEPT_READINGS) {
      const [oldest = key] = this.#read.keys();
      this.#read.delete(oldest);
    }
    return reading;
  }
}

const KEPT_READINGS = 64;

function byHash(receipts: readonly Receipt[]): ReadonlyMap<string, Receipt> {
  return new Map(receipts.map((receipt) => [receipt.hash, receipt]));
}

function sentIn({ transactions }: BlockBody, address: string, height: number): Movement[] {
  return transactions
    .filter(({ from }) => from === address)
    .map(({ hash: txHash, from, to }) => {
      return { leg: 'nonce', height, txHash, logIndex: null, from, to, amount: 1n, tokenId: null };
    });
}
