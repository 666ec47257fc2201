import { isSameList } from '../../coverage/list.ts';
import { contains } from '../../coverage/ranges.ts';
import type { Slice } from '../../coverage/slice.ts';
import { type Fetched, fetchSlice } from '../fetch-slice.ts';
import { CallFailure, unlessRefused } from '../http/call-failure.ts';
import type { Caller } from '../http/caller.ts';
import type { ListFacts } from '../walk/list-facts.ts';
import { type Destination, failing } from './destination.ts';
import { KeyDensity } from './key-density.ts';
import { askKnownQuestion } from './known-question.ts';

export interface EmptyAnswersOptions {
  readonly caller: Caller;
  readonly facts: ListFacts;
  readonly random: () => number;
  /** Lets time pass, so that a service that answers nothing for a while can answer again. */
  readonly pause: () => Promise<void>;
  /** Called once, when the first false empty answer is found. */
  readonly onSuspect?: (reason: string) => void;
}

interface Held extends Destination {
  readonly part: Fetched;
  /** Pages of the run when it was read. */
  readonly pages: number;
}

/** Empty answers of a list that are corroborated together. */
const BATCH = 40;
/** Further readings of empty parts whose keys had many records elsewhere. */
const SURPRISING_READINGS = 3;
/** Share of the empty answers of a run that are read a second time at its end. */
const SAMPLE = 0.01;
const MAX_SAMPLE = 50;
const MAX_SILENT = 20;
/** Answers that a service owes records, before the share of false ones is estimated from them. */
const EVIDENCE = 40;
/** An empty answer is believed when it would be false this rarely. */
const BELIEVED = 1e-6;
/** A service that answers more than half of all questions falsely is not read. */
const MAX_READINGS = 20;
/** Tries to ask a known question that is refused. */
const MAX_ASKS = 3;
/** Parts that are read again at the same time. */
const WORKERS = 8;
const FALSE_EMPTIES = 'the service gives empty answers where it has records';

/**
 * Lands parts. An empty answer alone is no proof that there is nothing: some services throttle with
 * an empty list. So empty parts are held until a question with known records was answered after
 * them, some are read a second time at the end, and with `proof: strict` all of them. Once one
 * answer was falsely empty, every empty part of the run is read again, as often as it takes for
 * all its readings to be false with a probability below one in a million.
 */
export class EmptyAnswers {
  readonly #options: EmptyAnswersOptions;
  readonly #held = new Map<string, Held[]>();
  /** Landed as empty by this run. */
  #landed: Held[] = [];
  /** Landed as empty and taken back. */
  #refuted: Held[] = [];
  #isSuspect = false;
  readonly #density = new KeyDensity();
  readonly #shifted = new Set<string>();

  constructor(options: EmptyAnswersOptions) {
    this.#options = options;
  }

  /** Lands the part, or holds it until it is corroborated. */
  async take(part: Fetched, to: Destination): Promise<void> {
    const isProven = part.status === 'complete' || part.status === 'provisional';
    this.#density.add(part);
    if (!isEmpty(part) || !isProven) {
      await to.land(part, 'new');
      return;
    }
    const path = part.slice.list.endpoint;
    const held = this.#held.get(path) ?? [];
    this.#held.set(path, held);
    held.push({ ...to, part, pages: this.#options.facts.pages });
    if (held.length >= BATCH) await this.#corroborate(path);
  }

  /**
   * Corroborates what is still held. `isStopped`: the run is interrupted, so nothing is read again;
   * parts that would have to be are left to the next run.
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

  /** Drops what is held of a slice: other answers have shown it to be false. */
  forget({ list, keys, interval }: Slice): void {
    const isOther = ({ part: { slice } }: Held): boolean =>
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

  async #judge(path: string, given: readonly Held[]): Promise<void> {
    const isShifted = await this.#takeBackShifted(path);
    const held = isShifted ? await this.#readOnce(given) : given;
    const [first] = held;
    if (first === undefined) return;
    const isAnswered = await this.#isAnswering(path, held);
    if (!isAnswered) this.#suspect(`${path} answers nothing where it listed records before`);
    if (await this.#suspectsAll()) {
      await this.#readAgain(held);
      return;
    }
    const isBare = first.part.slice.list.entry.reply.shape === 'bare';
    const isTwice = isBare || first.settings.proof === 'strict';
    let doubted = held.filter((each) => this.#density.isSurprising(each.part));
    const others = held.filter((each) => !doubted.includes(each));
    for (let i = 0; i < SURPRISING_READINGS; i += 1) doubted = await this.#readOnce(doubted);
    const empty = [...(isTwice ? await this.#readOnce(others) : others), ...doubted];
    // Silence may have fallen between the question before and these readings.
    const isStill = !isTwice || empty.length === 0 || (await this.#isAnswering(path, empty));
    if (!isStill) this.#suspect(`${path} answers nothing where it listed records before`);
    if (await this.#suspectsAll()) {
      await this.#readAgain(empty);
      return;
    }
    await this.#land(empty);
  }

  async #land(held: readonly Held[]): Promise<void> {
    for (const each of held) {
      await each.land(each.part, 'new');
      this.#landed.push(each);
    }
  }

  /** Whether a question with known records is answered with records, asked after these parts. */
  async #isAnswering(path: string, held: readonly Held[]): Promise<boolean> {
    const { facts } = this.#options;
    const newest = Math.max(...held.map(({ pages }) => pages));
    const isFew = held.length < BATCH;
    if (isFew && !this.#isSuspect && facts.hasAnsweredSince(path, newest)) return true;
    const [sample] = held;
    for (let i = 0; i < MAX_ASKS && sample !== undefined; i += 1) {
      const answered = await askKnownQuestion(this.#options, path, sample.settings).catch(
        unlessRefused,
      );
      if (answered !== undefined) return answered;
    }
    return false;
  }

  /** Whether the source is suspect; if it has just become so, all landed parts are taken back. */
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
   * Whether it has become known that ranges do not include their first block: empty parts that were
   * read before are read again.
   */
  async #takeBackShifted(path: string): Promise<boolean> {
    const { facts } = this.#options;
    if (facts.edges(path).from !== false || this.#shifted.has(path)) return false;
    this.#shifted.add(path);
    const isHere = ({ part }: Held): boolean => part.slice.list.endpoint === path;
    const landed = this.#landed.filter(isHere);
    this.#landed = this.#landed.filter((each) => !isHere(each));
    await this.#takeBack(landed, 'read before it was known where ranges of blocks begin');
    return true;
  }

  async #takeBack(landed: readonly Held[], reason: string): Promise<void> {
    for (const each of landed) {
      const status = 'inconsistent';
      await each.land({ ...each.part, status, reason, requests: 0 }, 'suspended');
      this.#refuted.push(each);
    }
  }

  /** Empty answers of lists without any record are read several times: the list may be silent. */
  async #readSample(): Promise<void> {
    const isSilent = ({ part }: Held): boolean => this.#density.isSilent(part);
    const sample = new Set(this.#landed.filter(isSilent).slice(0, MAX_SILENT));
    const share = Math.min(MAX_SAMPLE, Math.round(this.#landed.length * SAMPLE + 0.3));
    for (let i = 0; i < share; i += 1) {
      const each = this.#landed[Math.floor(this.#options.random() * this.#landed.length)];
      if (each !== undefined) sample.add(each);
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

  /** Reads all parts until none can be falsely empty any more. */
  async #readAgain(held: readonly Held[]): Promise<void> {
    const [sample] = held;
    if (sample === undefined) return;
    const { facts } = this.#options;
    const path = sample.part.slice.list.endpoint;
    for (let i = 0; i < EVIDENCE && facts.answers.right + facts.answers.false < EVIDENCE; i += 1) {
      await askKnownQuestion(this.#options, path, sample.settings).catch(unlessRefused);
    }
    let open = held;
    for (let readings = 1; readings < this.#readingsNeeded(); readings += 1) {
      open = await this.#readOnce(open);
    }
    if (this.#readingsNeeded() < MAX_READINGS) {
      for (const each of open) await each.land(each.part, 'new');
      return;
    }
    for (const each of open) {
      await each.land({ ...each.part, status: 'inconsistent', reason: FALSE_EMPTIES }, 'refuting');
    }
  }

  /** Readings after which an empty slice is believed, by the share of false answers so far. */
  #readingsNeeded(): number {
    const { right, false: wrong } = this.#options.facts.answers;
    const share = Math.min(0.5, (wrong + 1) / (wrong + right + 1));
    return Math.max(2, Math.ceil(Math.log(BELIEVED) / Math.log(share)));
  }

  /** Reads each part once more and lands those with records; the parts that are still empty. */
  async #readOnce(held: readonly Held[]): Promise<Held[]> {
    const empty: Held[] = [];
    const waiting = [...held];
    const work = async (): Promise<void> => {
      for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
        if (!(await this.#landRecords(each))) empty.push(each);
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, work));
    return empty;
  }

  /** Whether the slice has records after all, which are landed. */
  async #landRecords(held: Held): Promise<boolean> {
    const { caller, facts } = this.#options;
    const { part, settings, land, fail } = held;
    const parts: Fetched[] = [];
    try {
      for await (const again of fetchSlice(caller, part.slice, settings)) parts.push(again);
    } catch (error) {
      if (!(error instanceof CallFailure) || error.outcome !== 'permanent') throw error;
      fail(part, error.message);
      return true;
    }
    const isProven = ({ status }: Fetched): boolean =>
      status === 'complete' || status === 'provisional';
    if (parts.every((each) => isEmpty(each) && isProven(each))) return false;
    if (parts.some((each) => !isEmpty(each))) facts.sawAnswer(false);
    for (const again of parts) {
      if (!isEmpty(again) || !isProven(again)) await land(again, 'refuting');
      // This part was empty in one answer only, and the service is known to give false ones.
      else await this.#takeBack([{ ...held, part: again }], FALSE_EMPTIES);
    }
    return true;
  }
}

/** A part with pending records alone is no empty answer. */
function isEmpty({ records, pending }: Fetched): boolean {
  return records.length + pending.length === 0;
}
