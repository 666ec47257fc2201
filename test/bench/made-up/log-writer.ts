import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dataset } from '../../../src/catalogue/entry.ts';
import {
  addLine,
  commitInfoLine,
  type DataFile,
  metaDataLine,
  protocolLine,
} from '../../../src/land/delta/actions.ts';
import { KeyNames } from '../../../src/land/delta/claims.ts';
import { type Ledger, storedLedger } from '../../../src/land/delta/ledger.ts';
import { EMPTY_LOG, logDigest, sealed } from '../../../src/land/delta/log-entry.ts';
import { tableColumns } from '../../../src/land/rows/columns.ts';

/** Writes sealed log entries of one table, whose data files were written before. */
export class LogWriter {
  readonly #folder: string;
  readonly #dataset: Dataset;
  readonly #names = new KeyNames();
  #version = 0;
  #digest = EMPTY_LOG;

  constructor(folder: string, dataset: Dataset) {
    this.#folder = join(folder, '_delta_log');
    this.#dataset = dataset;
  }

  async commit(ledger: Ledger, files: readonly DataFile[], nowMs: number): Promise<void> {
    const { name, summary, heightColumn } = this.#dataset;
    const columns = tableColumns(name);
    const head = [protocolLine(), metaDataLine(randomUUID(), name, summary, columns, nowMs)];
    const rest = [
      ...(this.#version === 0 ? head : []),
      ...files.map((file) => addLine(file, heightColumn, nowMs)),
    ];
    const stored = storedLedger(ledger, this.#names);
    const { first = 0, keys = [] } = stored.claims?.names ?? {};
    this.#names.add(first, keys);
    const whole = { ...stored, lines: rest.length + 1, sealed: true as const };
    const lines = [commitInfoLine('WINDROW COMMIT', whole, nowMs), ...rest];
    const text = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
    const entry = sealed(text, this.#digest);
    await mkdir(this.#folder, { recursive: true });
    const path = join(this.#folder, `${String(this.#version).padStart(20, '0')}.json`);
    await writeFile(path, entry);
    this.#digest = logDigest(this.#digest, Buffer.from(entry));
    this.#version += 1;
  }
}
