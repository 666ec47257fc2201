import { Fault } from '../../fault.ts';
import type { RpcClient } from '../rpc/rpc-client.ts';
import type { RpcReply } from '../rpc/rpc-reply.ts';
import { aggregate, callGroups } from './multicall.ts';
import {
  chainId,
  clientVersion,
  codeAt,
  MULTICALL3,
  type NodeQuestion,
  newestBlock,
} from './question.ts';

/** The answer that the nodes agree on, or the reason why there is none. */
export type NodeReading<T> = { readonly value: T } | { readonly reason: string };

/** `pruned`: it is used, and lacks the state of some blocks. `lags`: up to its head at most. */
type NodeState = 'used' | 'fails' | 'lags' | 'pruned' | 'another_chain' | 'disagrees';

/** A node, as results name it. */
export interface WitnessReport {
  /** Its origin: the rest of its address may hold a token. */
  readonly url: string;
  readonly status: NodeState;
  readonly reason: string;
  readonly head: number | null;
  readonly client_version: string | null;
  readonly calls: number;
}

type Witness = { -readonly [Name in keyof WitnessReport]: WitnessReport[Name] } & {
  readonly client: Pick<RpcClient, 'call' | 'requests'>;
  chain: bigint | undefined;
};

/** The errors by which nodes say that they do not keep the state of a block. */
const PRUNED = /missing trie node|prun|archive|(not|un)available|header not found|distance/i;

/**
 * The nodes of a pipeline, asked together. An answer counts if more than half of the nodes that
 * answer give it. A node that fails, lags, or gives another answer than the others is not asked
 * again, and reported by its name.
 */
export class Witnesses {
  readonly #nodes: readonly Witness[];
  readonly #signal: AbortSignal;
  #whole = 0;

  constructor(
    nodes: readonly { readonly client: Witness['client']; readonly origin: string }[],
    signal: AbortSignal,
  ) {
    this.#signal = signal;
    const unasked = { status: 'used', reason: '', head: null, client_version: null } as const;
    this.#nodes = nodes.map(({ client, origin: url }) => {
      return { client, url, ...unasked, chain: undefined, calls: 0 };
    });
  }

  /** Asks the nodes who they are. Their head, or undefined if none of them answers. */
  async open(): Promise<number | undefined> {
    const questions = [chainId, clientVersion, newestBlock];
    const answers = await Promise.all(this.#nodes.map((node) => this.#send(node, questions)));
    for (const [at, node] of this.#nodes.entries()) {
      const [chain, version, head] = answers[at] ?? [];
      if (node.status !== 'used') continue;
      node.chain = valueIn(chain, chainId);
      node.client_version = valueIn(version, clientVersion) ?? null;
      const height = valueIn(head, newestBlock);
      node.head = height === undefined ? null : Number(height);
      if (height === undefined) leave(node, 'fails', 'it does not say which block is the newest');
    }
    for (const node of this.#used()) {
      const others = this.#used().filter(({ chain }) => chain !== node.chain);
      if (others.length * 2 <= this.#used().length) continue;
      leave(node, 'another_chain', `its chain id is ${node.chain}`);
    }
    const heads = this.#used().map(({ head }) => head ?? 0);
    return heads.length === 0 ? undefined : Math.max(...heads);
  }

  /**
   * Leaves out nodes whose newest block is below the height, which another one has. Nodes that do
   * not reach `whole`, the end of the complete ranges, are reported as behind.
   */
  needHead(height: number, whole = height): void {
    this.#whole = whole;
    for (const node of this.#used()) {
      if ((node.head ?? -1) >= height) continue;
      leave(node, 'lags', `its newest block is ${node.head}, and block ${height} is compared`);
    }
  }

  /** Leaves out all nodes: their blocks are not those of the lake. */
  refuse(reason: string): void {
    for (const node of this.#used()) leave(node, 'another_chain', reason);
  }

  /** The readings, in the order of the questions. Many of one height are asked by few calls. */
  async ask<T>(questions: readonly NodeQuestion<T>[]): Promise<readonly NodeReading<T>[]> {
    const values = await this.#aggregated(questions);
    const rest = await this.#askSingly(questions.filter((_, position) => !values.has(position)));
    const singles = rest.values();
    return questions.map((_, position) => {
      const value = values.get(position);
      return value === undefined ? (singles.next().value as NodeReading<T>) : { value };
    });
  }

  /**
   * Values by the positions of their questions, where Multicall3 is deployed at their height, all
   * nodes give the same results, and the call within has succeeded. The others are asked singly,
   * which alone judges a node.
   */
  async #aggregated<T>(questions: readonly NodeQuestion<T>[]): Promise<ReadonlyMap<number, T>> {
    const values = new Map<number, T>();
    const groups = callGroups(questions);
    const tags = [...new Set(groups.map(({ tag }) => tag))];
    const codes = await this.#askSingly(tags.map((tag) => codeAt(MULTICALL3, tag)));
    for (const { tag, positions } of groups) {
      const code = codes[tags.indexOf(tag)];
      if (code === undefined || 'reason' in code || code.value === '0x') continue;
      const parts = positions.flatMap((position) => questions[position]?.part ?? []);
      const whole = aggregate(parts, tag);
      const nodes = this.#used();
      const replies = await Promise.all(nodes.map((node) => this.#send(node, [whole], true)));
      const [first, ...others] = replies.map(([reply]) => valueIn(reply, whole));
      if (others.some((other) => textOf(other) !== textOf(first))) continue;
      for (const [nth, position] of positions.entries()) {
        const result = first?.[nth];
        const value = result === undefined ? undefined : questions[position]?.read(result);
        if (value !== undefined) values.set(position, value);
      }
    }
    return values;
  }

  async #askSingly<T>(questions: readonly NodeQuestion<T>[]): Promise<readonly NodeReading<T>[]> {
    if (questions.length === 0) return [];
    const nodes = this.#used();
    const answers = await Promise.all(nodes.map((node) => this.#send(node, questions)));
    return questions.map((question, at) => {
      const votes = nodes.flatMap((node, nth) => {
        const reply = node.status === 'used' ? answers[nth]?.[at] : undefined;
        return reply === undefined ? [] : [{ node, reply, value: valueIn(reply, question) }];
      });
      const reading = this.#majority(question, votes);
      if (reading !== undefined) return reading;
      const [first] = votes;
      return { reason: first === undefined ? this.#silence() : reasonOf(first.reply) };
    });
  }

  #majority<T>(
    { call }: NodeQuestion<T>,
    votes: readonly { readonly node: Witness; readonly value: T | undefined }[],
  ): NodeReading<T> | undefined {
    const groups = new Map<string, { value: T; nodes: Witness[] }>();
    for (const { node, value } of votes) {
      if (value === undefined) continue;
      const group = groups.get(textOf(value)) ?? { value, nodes: [] };
      group.nodes.push(node);
      groups.set(textOf(value), group);
    }
    const sorted = [...groups.values()].sort((a, b) => b.nodes.length - a.nodes.length);
    const [most, next] = sorted;
    if (most === undefined) return undefined;
    if (next === undefined) return { value: most.value };
    const rest = sorted.slice(1).flatMap(({ nodes }) => nodes);
    if (most.nodes.length <= rest.length) {
      const [one, other] = [most, next].map(({ nodes }) => nodes[0]?.url);
      return { reason: `the witnesses ${one} and ${other} disagree about ${nameOf(call)}` };
    }
    for (const node of rest) {
      leave(node, 'disagrees', `${nameOf(call)} is another one than at the other witnesses`);
    }
    return { value: most.value };
  }

  /** Calls to the node that was asked most. */
  get calls(): number {
    return Math.max(0, ...this.#nodes.map(({ calls }) => calls));
  }

  /** HTTP requests to all nodes. */
  get requests(): number {
    return this.#nodes.reduce((sum, { client }) => sum + client.requests, 0);
  }

  reports(): readonly WitnessReport[] {
    return this.#nodes.map(({ client: _, chain: __, ...report }) => {
      const { status, reason, head } = report;
      if (status !== 'used') return report;
      if (reason !== '') return { ...report, status: 'pruned' };
      if ((head ?? 0) >= this.#whole) return report;
      const behind = `its newest block is ${head}, and the lake is complete to ${this.#whole}`;
      return { ...report, status: 'lags', reason: behind };
    });
  }

  #used(): readonly Witness[] {
    return this.#nodes.filter(({ status }) => status === 'used');
  }

  #silence(): string {
    const reasons = this.#nodes.map(({ url, reason }) => `${url}: ${reason}`);
    return `no witness answers (${reasons.join('; ')})`;
  }

  async #send(
    node: Witness,
    questions: readonly NodeQuestion<unknown>[],
    mayFail = false,
  ): Promise<readonly RpcReply[]> {
    node.calls += questions.length;
    const calls = questions.map(({ call }) => call);
    try {
      const replies = await node.client.call(calls, this.#signal);
      const pruned = replies.find((reply) => 'error' in reply && PRUNED.test(reply.error.message));
      if (pruned !== undefined && node.reason === '') node.reason = reasonOf(pruned);
      return replies;
    } catch (error) {
      if (!(error instanceof Fault) || error.kind === 'limited') throw error;
      if (!mayFail) leave(node, 'fails', error.message.replace(/\.$/, ''));
      return [];
    }
  }
}

function leave(node: Witness, status: NodeState, reason: string): void {
  node.status = status;
  node.reason = reason;
}

function valueIn<T>(reply: RpcReply | undefined, { read }: NodeQuestion<T>): T | undefined {
  return reply === undefined || 'error' in reply ? undefined : read(reply.result);
}

function reasonOf(reply: RpcReply): string {
  return 'error' in reply ? reply.error.message : 'the witness gives a result of another form';
}

function nameOf({ entry, params }: NodeQuestion<unknown>['call']): string {
  return `${entry.method} ${JSON.stringify(params)}`;
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner));
}
