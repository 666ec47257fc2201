import { isSameList } from '../../coverage/list.ts';
import { contains } from '../../coverage/ranges.ts';
import type { Slice } from '../../coverage/slice.ts';
import { type FetchedPart, hasNoRecords } from '../../coverage/slice-part.ts';
import { fetchSlice } from '../fetch-slice.ts';
import { CallFailure, isOfRequest, unlessRefused } from '../http/call-failure.ts';
import type { Caller } from '../http/caller.ts';
import type { ListFacts } from '../walk/list-facts.ts';
import { type Destination, failing, type HeldPart, withdraw } from './destination.ts';
import { EVIDENCE, hasEvidence, MAX_READINGS, readingsNeeded } from './false-share.ts';
import { KeyDensity } from './key-density.ts';
import { askKnownQuestion } from './known-question.ts';

export interface EmptyAnswersOptions {
  readonly caller: Caller;
  readonly facts: ListFacts;
  readonly random: () => number;
  /** Waits for a while, so that a service that returns no records can recover. */
  readonly pause: () => Promise<void>;
  /** Counts of a session of short runs, each of which reads the provisional blocks again. */
  readonly session?: { readonly density: KeyDensity };
  /** Called once, when the first false empty answer is found. */
  readonly onSuspect?: (reason: string) => void;
}

interface EmptyPart extends HeldPart {
  /** The number of pages that the run had read by then. */
  readonly pages: number;
  /** This run landed the part as empty and has not withdrawn it. */
  readonly isLanded?: boolean;
}

/** Number of empty answers of a list that are corroborated together. */
const BATCH = 40;
/** Further readings of an empty part whose keys had many records elsewhere. */
const SURPRISING_READINGS = 3;
/** Share of the empty answers that are read a second time at the end of the run, and its bounds. */
const SAMPLE = 0.01;
const MIN_SAMPLE = 10;
const MAX_SAMPLE = 50;
/** Of the empty answers of lists without any record, at most this many are read again. */
const MAX_SILENT = 10;
/** Attempts to send a known question that the service refuses. */
const MAX_ASKS = 3;
/** Number of parts that are read again at the same time. */
const WORKERS = 8;
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
  readonly #shifted = new Set<string>();

  constructor(options: EmptyAnswersOptions) {
    this.#options = options;
    this.#density = options.session?.density ?? new KeyDensity();
  }

  /** Lands the part, or keeps it until it is corroborated. */
  async take(part: FetchedPart, to: Destination): Promise<void> {
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
    held.push({ ...to, part, pages: facts.pages });
    if (held.length >= BATCH) await this.#corroborate(path);
  }

  /**
   * Corroborates the parts that are still kept. With `isStopped` the run is interrupted: nothing is
   * read again, and doubtful parts are left to the next run.
   */
  async settle(isStopped: boolean): Promise<void> {
    for (const path of [...this.#held.keys()]) {
      if (isStopped && this.#isSuspect) this.#held.delete(path);
      else await this.#corroborate(path);
    }
    if (isStopped) return;
    const paths = new Set(this.#landed.map(({ part }) => part.slice.list.endpoint));
    for (const path of paths) await this.#takeBackShifted(path);
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

  async #corroborate(path: string): Promise<void> {
    const held = this.#held.get(path) ?? [];
    this.#held.delete(path);
    if (held.length > 0) await failing(held, () => this.#judge(path, held));
  }

  async #judge(path: string, given: readonly EmptyPart[]): Promise<void> {
    const isShifted = await this.#takeBackShifted(path);
    const held = isShifted ? await this.#readOnce(given) : given;
    const [first] = held;
    if (first === undefined) return;
    await this.#askKnown(path, held);
    if (await this.#suspectsAll()) {
      await this.#readAgain(held);
      return;
    }
    const isBare = first.part.slice.list.entry.reply.shape === 'bare';
    const isTwice = isBare || first.settings.proof === 'strict';
    let doubted = held.filter((each) => this.#density.isSurprising(each.part));
    const others = held.filter((each) => !doubted.includes(each));
    for (let i = 0; i < SURPRISING_READINGS && !this.#isSuspect; i += 1) {
      doubted = await this.#readOnce(doubted);
      // Otherwise the next readings may be false for the same reason as this one.
      if (i === 0) await this.#askKnown(path, doubted);
    }
    const empty = [...(isTwice ? await this.#readOnce(others) : others), ...doubted];
    if (isTwice) await this.#askKnown(path, empty);
    if (await this.#suspectsAll()) {
      await this.#readAgain(empty);
      return;
    }
    await this.#land(empty);
  }

  async #land(held: readonly EmptyPart[]): Promise<void> {
    for (const each of held) {
      await each.land(each.part, 'new');
      this.#landed.push({ ...each, isLanded: true });
    }
  }

  /** Suspects a list that answers a known question, sent after these parts were read, with none. */
  async #askKnown(path: string, held: readonly EmptyPart[]): Promise<void> {
    const { facts } = this.#options;
    const newest = Math.max(...held.map(({ pages }) => pages));
    const isFew = held.length < BATCH;
    if (isFew && !this.#isSuspect && facts.hasAnsweredSince(path, newest)) return;
    const [sample] = held;
    if (sample === undefined) return;
    let answered: boolean | undefined;
    for (let i = 0; i < MAX_ASKS && answered === undefined; i += 1) {
      const asked = askKnownQuestion(this.#options, path, sample.settings);
      answered = await asked.catch(unlessRefused);
    }
    if (answered !== true) this.#suspect(`${path} returns no records where it listed some before`);
  }

  /** Whether the source is suspect. When it becomes suspect, all landed parts are withdrawn. */
  async #suspectsAll(): Promise<boolean> {
    const { facts } = this.#options;
    const { false: wrong, right } = facts.answers;
    if (wrong > 0) this.#suspect(`${wrong} of ${wrong + right} answers that must have records`);
    if (this.#isSuspect) await this.#takeBack(this.#landed.splice(0), FALSE_EMPTIES);
    return this.#isSuspect;
  }

  #suspect(reason: string): void {
    if (!this.#isSuspect) this.#options.onSuspect?.(reason);
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
    this.#landed = this.#landed.filter((each) => !isHere(each));
    await this.#takeBack(landed, 'read before the run learned where ranges of blocks begin');
    return true;
  }

  async #takeBack(landed: readonly EmptyPart[], reason: string): Promise<void> {
    for (const each of landed) {
      await withdraw(each, reason);
      this.#refuted.push({ ...each, isLanded: false });
    }
  }

  /** Lists without any record are read several times, because they may be false for a while. */
  async #readSample(): Promise<void> {
    const isSilent = ({ part }: EmptyPart): boolean => this.#density.isSilent(part);
    const sample = new Set(this.#landed.filter(isSilent).slice(0, MAX_SILENT));
    const least = this.#options.session === undefined ? MIN_SAMPLE : 1;
    const share = Math.max(least, Math.min(MAX_SAMPLE, this.#landed.length * SAMPLE));
    const others = this.#landed.filter((each) => !sample.has(each));
    for (let i = 0; i < share && others.length > 0; i += 1) {
      const at = Math.floor(this.#options.random() * others.length);
      for (const each of others.splice(at, 1)) sample.add(each);
    }
    this.#landed = this.#landed.filter((each) => !sample.has(each));
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
      for (const each of open) await each.land(each.part, 'new');
      return;
    }
    for (const each of open) {
      await each.land({ ...each.part, status: 'inconsistent', reason: FALSE_EMPTIES }, 'refuting');
    }
  }

  /** Reads each part once more, lands those with records, returns those still empty. */
  async #readOnce(held: readonly EmptyPart[]): Promise<EmptyPart[]> {
    const empty: EmptyPart[] = [];
    const waiting = [...held];
    const work = async (): Promise<void> => {
      for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
        if (await this.#landRecords(each)) continue;
        empty.push({ ...each, pages: this.#options.facts.pages });
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, work));
    return empty;
  }

  /** Whether the slice has records after all; if so, they are landed. */
  async #landRecords(held: EmptyPart): Promise<boolean> {
    const { caller, facts } = this.#options;
    const { part, settings, land, fail } = held;
    const parts: FetchedPart[] = [];
    try {
      for await (const again of fetchSlice(caller, part.slice, settings)) parts.push(again);
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      // Pages with records may have come before the failure.
      if (held.isLanded) await withdraw(held, `its second reading failed: ${error.message}`);
      if (!isOfRequest(error)) throw error;
      fail(part, error.message);
      return true;
    }
    const isProven = ({ status }: FetchedPart): boolean =>
      status === 'complete' || status === 'provisional';
    if (parts.every((each) => hasNoRecords(each) && isProven(each))) return false;
    if (parts.some((each) => !hasNoRecords(each))) {
      facts.sawAnswer(part.slice.list.endpoint, false);
    }
    for (const again of parts) {
      if (!hasNoRecords(again) || !isProven(again)) await land(again, 'refuting');
      // This part was empty in one answer only, and the service is known to give false ones.
      else await this.#takeBack([{ ...held, part: again }], FALSE_EMPTIES);
    }
    return true;
  }
}
