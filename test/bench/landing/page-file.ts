import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import type { HttpResponse } from '../../../src/fetch/transport/transport.ts';

interface Place {
  readonly offset: number;
  readonly bytes: number;
}

export type Places = readonly (readonly [key: string, Place])[];

/** Targets name up to 20 addresses; a digest takes less memory in a process that is measured. */
const keyOf = (target: string): string =>
  createHash('sha256').update(target).digest('base64').slice(0, 16);

const HEADERS = { 'content-type': 'application/json' };

/**
 * Answers in a file, one body per line, so that a process that lands them does not hold them in
 * memory, and DuckDB reads the same bytes.
 */
export class PageFile {
  readonly path: string;
  readonly #descriptor: number;
  readonly #places: Map<string, Place>;
  #end = 0;

  private constructor(path: string, flags: string, places: Places) {
    this.path = path;
    this.#descriptor = openSync(path, flags);
    this.#places = new Map(places);
  }

  static create(path: string): PageFile {
    return new PageFile(path, 'w+', []);
  }

  static open(path: string, places: Places): PageFile {
    return new PageFile(path, 'r', places);
  }

  /** Keeps the first answer to a request. */
  add(target: string, body: string): void {
    const key = keyOf(target);
    if (this.#places.has(key)) return;
    const bytes = writeSync(this.#descriptor, `${body}\n`, this.#end);
    this.#places.set(key, { offset: this.#end, bytes: bytes - 1 });
    this.#end += bytes;
  }

  answer(target: string): HttpResponse {
    const place = this.#places.get(keyOf(target));
    if (place === undefined) throw new Error(`no recorded answer for ${target}`);
    const { offset, bytes } = place;
    const body = Buffer.allocUnsafe(bytes);
    readSync(this.#descriptor, body, 0, bytes, offset);
    return { status: 200, headers: HEADERS, body: body.toString() };
  }

  get bytes(): number {
    return this.#end;
  }

  places(): Places {
    return [...this.#places];
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
