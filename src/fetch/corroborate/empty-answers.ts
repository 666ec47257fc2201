import { isSameList } from '../../coverage/list.ts';
import { contains } from '../../coverage/ranges.ts';
import type { Slice } from '../../coverage/slice.ts';
import { type FetchedPart, hasNoRecords } from '../../coverage/slice-part.ts';
import { unlessRefused } from '../http/call-failure.ts';
import type { RangeEdges } from '../walk/list-facts.ts';
import { type Destination, failing, withdraw } from './destination.ts';
import {
  byGroup,
  type EmptyAnswersOptions,
  type EmptyPart,
  isReadTwice,
  ofEachKey,
  rangeOf,
  someOf,
} from './empty-part.ts';
import { EVIDENCE, hasEvidence, MAX_READINGS, readingsNeeded } from './false-share.ts';
import { KeyDensity } from './key-density.ts';
import { askKnownQuestion, isKnownAnswered } from './known-question.ts';
import { isNewest, RequestProof } from './request-proof.ts';
import { readOnce } from './second-reading.ts';
import { LONG_BLOCKS, SilentLists } from './silent-lists.ts';

/** Number of empty answers of a list that are corroborated together. */
const BATCH = 40;
/** Most empty answers of a list that wait for a proof of their requests. */
const MAX_WAITING = 10 * BATCH;
/** Further readings of an empty part whose keys had many records elsewhere. */
const SURPRISING_READINGS = 3;
/** Share of the empty answers that are read a second time at the end of the run, and its bounds. */
const SAMPLE = 0.01;
const MIN_SAMPLE = 10;
const MAX_SAMPLE = 50;
/** The most empty answers of lists without any record that are read again. */
const MAX_SILENT = 10;
const FALSE_EMPTIES = 'the service returns empty answers where it has records';

/**
 * Lands parts. An empty answer alone does not prove that there are no records, because some
 * services throttle with an empty list. Empty parts are therefore kept until a later question with
 * known records was answered. A sample of them is read a second time at the end of the run; with
 * `proof: strict` all of them are. After one false empty answer, every empty part of the run is
 * read again, until the probability that all its readings are false is below one in a million.
 */
export class EmptyAnswers {
  readonly #options: EmptyAnswersOptions;
  readonly #held = new Map<string, EmptyPart[]>();
  /** Parts that this run landed as empty. */
  #landed: EmptyPart[] = [];
  /** Parts that this run landed as empty and withdrew. */
  #refuted: EmptyPart[] = [];
  #isSuspect = false;
  readonly #density: KeyDensity;
  readonly #requests: RequestProof;
  readonly #silent: SilentLists;
  readonly #shifted = new Set<string>();

  constructor(options: EmptyAnswersOptions) {
    this.#options = options;
    this.#density = options.session?.density ?? new KeyDensity();
    this.#requests = new RequestProof(options);
    this.#silent = new SilentLists(options, this.#density, (pieces) => this.#readPieces(pieces));
  }

  /**
   * Lands the part, or keeps it until it is corroborated. `edges` are those that were known before
   * it was read; by default those that are known now.
   */
  async take(part: FetchedPart, to: Destination, edges?: RangeEdges): Promise<void> {
    const { session, facts } = this.#options;
    const isReadAgain = session !== undefined && part.status === 'provisional';
    const isProven = part.status === 'complete' || part.status === 'provisional';
    this.#density.add(part);
    if (!hasNoRecords(part) || !isProven || isReadAgain) {
      await to.land(part, 'new');
      return;
    }
    const path = part.slice.list.endpoint;
    const held = this.#held.get(path) ?? [];
    this.#held.set(path, held);
    const range = rangeOf({ ...to, part }, edges);
    const isEarly = isNewest({ ...to, part }) && !this.#requests.isProven({ part, range });
    held.push({ ...to, part, range, pages: facts.pages, isEarly });
    if (held.length % BATCH === 0) await this.#corroborate(path, held.length < MAX_WAITING);
  }

  /**
   * Corroborates the parts that are still kept. With `isStopped` the run is interrupted: nothing is
   * read again, and doubtful parts are left to the next run.
   */
  async settle(isStopped: boolean): Promise<void> {
    for (const path of [...this.#held.keys()]) {
      if (isStopped && this.#isSuspect) this.#held.delete(path);
      else await this.#corroborate(path, isStopped);
    }
    if (isStopped) return;
    for (const path of this.#landedPaths()) await failing([], () => this.#doubtLanded(path));
    await failing([], () => this.#askGroups());
    for (const path of this.#landedPaths()) await this.#takeBackShifted(path);
    if (!this.#isSuspect) await failing([], () => this.#readSample());
    while (this.#refuted.length > 0) {
      const again = this.#refuted.splice(0, BATCH);
      await failing(again, () => this.#readAgain(again));
    }
  }

  /** Drops the kept parts of a slice that other answers have refuted. */
  forget({ list, keys, interval }: Slice): void {
    const isOther = ({ part: { slice } }: EmptyPart): boolean =>
      !isSameList(slice.list, list) ||
      slice.keys.some((key) => !keys.includes(key)) ||
      !contains(interval, slice.interval.from);
    this.#held.set(list.endpoint, (this.#held.get(list.endpoint) ?? []).filter(isOther));
    this.#refuted = this.#refuted.filter(isOther);
    this.#landed = this.#landed.filter(isOther);
  }

  /** With `isProvenOnly` the parts whose requests are not proven yet stay. */
  async #corroborate(path: string, isProvenOnly: boolean): Promise<void> {
    const all = this.#held.get(path) ?? [];
    let held: readonly EmptyPart[] = isProvenOnly
      ? all.filter((part) => this.#requests.isProven(part))
      : all;
    const waiting = new Set(all);
    for (const part of held) waiting.delete(part);
    this.#held.set(path, [...waiting]);
    if (held.length === 0) return;
    await failing([], async () => {
      if (!isProvenOnly) held = await this.#silent.read(held);
    });
    await failing(held, () => this.#judge(path, held));
  }

  #landedPaths(): Set<string> {
    return new Set(this.#landed.map(({ part }) => part.slice.list.endpoint));
  }

  /** Reads parts again that landed before their list had a record, and are not proven by now. */
  async #doubtLanded(path: string): Promise<void> {
    const ofPath = this.#landed.filter(({ part }) => part.slice.list.endpoint === path);
    await this.#requests.ask(ofPath);
    const doubted = ofPath.filter((part) => !this.#requests.isAccepted(part));
    this.#landed = this.#landed.filter((part) => !doubted.includes(part));
    for (const part of doubted) await withdraw(part, 'ranges like this one return no records');
    await this.#land(doubted);
  }

  async #judge(path: string, parts: readonly EmptyPart[]): Promise<void> {
    const isShifted = await this.#takeBackShifted(path);
    const held = isShifted ? await this.#readOnce(parts) : parts;
    const [first] = held;
    if (first === undefined) return;
    if (!(await this.#requests.ask(held))) await this.#askKnown(path, held);
    if (await this.#suspectsAll()) return this.#readAgain(held);
    const isTwice = isReadTwice(first);
    let doubted = held.filter((answer) => this.#density.isSurprising(answer.part));
    const others = held.filter((part) => !doubted.includes(part));
    for (let i = 0; i < SURPRISING_READINGS && !this.#isSuspect; i += 1) {
      doubted = await this.#readOnce(doubted);
      // Otherwise the next readings may be false for the same reason as this one.
      if (i === 0) await this.#askKnown(path, doubted);
    }
    const empty = [...(isTwice ? await this.#readOnce(others) : others), ...doubted];
    if (isTwice) await this.#askKnown(path, empty);
    if (await this.#suspectsAll()) return this.#readAgain(empty);
    await this.#land(empty);
  }

  /** Parts whose requests are not proven are read in pieces. */
  async #land(held: readonly EmptyPart[]): Promise<void> {
    const doubted = held.filter((part) => !this.#requests.isAccepted(part));
    const pieces = doubted.map((part) => this.#requests.pieces(part));
    const read = pieces.flatMap((piece) => piece.read);
    // Before they are read: an index that moves may not have had their blocks then.
    await this.#requests.ask(read);
    const again = await this.#readPieces(read);
    const others = held.filter((part) => !doubted.includes(part));
    for (const answer of [...others, ...again, ...pieces.flatMap(({ rest }) => rest)]) {
      const part = this.#requests.judged(answer);
      await answer.land(part, 'new');
      if (part === answer.part) this.#landed.push({ ...answer, isLanded: true });
    }
  }

  async #readPieces(pieces: readonly EmptyPart[]): Promise<EmptyPart[]> {
    const read = await this.#readOnce(pieces.map((piece) => ({ ...piece, isPiece: true })));
    const empty = read.map((part) => ({ ...part, isPiece: false }));
    const others = empty.filter((part) => !isReadTwice(part));
    return [...others, ...(await this.#readOnce(empty.filter(isReadTwice)))];
  }

  /** Reads the keys of a group alone where the list does not show a known record to the group. */
  async #askGroups(): Promise<void> {
    const isLong = ({ part }: EmptyPart): boolean => this.#density.emptyBlocks(part) >= LONG_BLOCKS;
    for (const group of byGroup(this.#landed.filter(isLong))) {
      const [sample] = group;
      if (sample === undefined || (await this.#requests.isGroupAnswered(sample))) continue;
      this.#landed = this.#landed.filter((part) => !group.includes(part));
      for (const part of group) await withdraw(part, 'groups of keys return no records');
      await this.#land(await this.#readPieces(group.flatMap(ofEachKey)));
    }
  }

  /** Suspects a list that answers a known question, sent after these parts were read, with none. */
  async #askKnown(path: string, held: readonly EmptyPart[]): Promise<void> {
    const { facts } = this.#options;
    const newest = Math.max(...held.map(({ pages }) => pages));
    const isFew = held.length < BATCH;
    if (isFew && !this.#isSuspect && facts.at(path).answeredAt > newest) return;
    const [sample] = held;
    if (sample === undefined) return;
    const answered = await isKnownAnswered(this.#options, path, sample.settings);
    if (!answered) this.#suspect(`${path} returns no records where it listed some before`);
  }

  /** Whether the source is suspect. When it becomes suspect, all landed parts are withdrawn. */
  async #suspectsAll(): Promise<boolean> {
    const { false: wrong, right } = this.#options.facts.answers;
    if (this.#options.session?.suspicion?.isSuspect())
      this.#suspect('another worker found false ones');
    if (wrong > 0) this.#suspect(`${wrong} of ${wrong + right} answers that must have records`);
    if (this.#isSuspect) await this.#takeBack(this.#landed.splice(0), FALSE_EMPTIES);
    return this.#isSuspect;
  }

  #suspect(reason: string): void {
    const { onSuspect, session } = this.#options;
    if (!this.#isSuspect) onSuspect?.(reason);
    if (!this.#isSuspect) session?.suspicion?.suspect();
    this.#isSuspect = true;
  }

  /**
   * Whether ranges are now known to exclude their first block. Empty parts that were read before
   * are then read again.
   */
  async #takeBackShifted(path: string): Promise<boolean> {
    const { facts } = this.#options;
    if (facts.edges(path).from !== false || this.#shifted.has(path)) return false;
    this.#shifted.add(path);
    const isHere = ({ part }: EmptyPart): boolean => part.slice.list.endpoint === path;
    const landed = this.#landed.filter(isHere);
    this.#landed = this.#landed.filter((part) => !isHere(part));
    await this.#takeBack(landed, 'read before the run learned where ranges of blocks begin');
    return true;
  }

  async #takeBack(landed: readonly EmptyPart[], reason: string): Promise<void> {
    for (const part of landed) {
      await withdraw(part, reason);
      this.#refuted.push({ ...part, isLanded: false });
    }
  }

  /** Lists without any record are read several times, because they may be false for a while. */
  async #readSample(): Promise<void> {
    const isSilent = ({ part }: EmptyPart): boolean => this.#density.isSilent(part);
    const sample = new Set(this.#landed.filter(isSilent).slice(0, MAX_SILENT));
    const least = this.#options.session === undefined ? MIN_SAMPLE : 1;
    const share = Math.max(least, Math.min(MAX_SAMPLE, this.#landed.length * SAMPLE));
    const others = this.#landed.filter((part) => !sample.has(part));
    for (const part of someOf(others, share, this.#options.random)) sample.add(part);
    this.#landed = this.#landed.filter((part) => !sample.has(part));
    if (sample.size > 0 && this.#density.isAllSilent) await this.#options.pause();
    let empty = await this.#readOnce([...sample]);
    for (let i = 1; i < SURPRISING_READINGS && empty.some(isSilent); i += 1) {
      empty = await this.#readOnce(empty);
    }
    this.#landed.push(...empty);
    await this.#suspectsAll();
  }

  /** Reads all parts until none of them is likely to be falsely empty. */
  async #readAgain(held: readonly EmptyPart[]): Promise<void> {
    const [sample] = held;
    if (sample === undefined) return;
    const { facts } = this.#options;
    const path = sample.part.slice.list.endpoint;
    for (let i = 0; i < EVIDENCE && !hasEvidence(facts, path); i += 1) {
      await askKnownQuestion(this.#options, path, sample.settings).catch(unlessRefused);
    }
    let open = held;
    for (let readings = 1; readings < readingsNeeded(facts, path); readings += 1) {
      open = await this.#readOnce(open);
    }
    if (readingsNeeded(facts, path) < MAX_READINGS) {
      await this.#requests.ask(open);
      for (const part of open) await part.land(this.#requests.judged(part, FALSE_EMPTIES), 'new');
      return;
    }
    for (const { part, land } of open) {
      await land({ ...part, status: 'inconsistent', reason: FALSE_EMPTIES }, 'refuting');
    }
  }

  /** Reads each part once more, lands those with records, returns those still empty. */
  #readOnce(held: readonly EmptyPart[]): Promise<EmptyPart[]> {
    return readOnce(this.#options, held, (part) => this.#takeBack([part], FALSE_EMPTIES));
  }
}
