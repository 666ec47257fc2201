import type { Cell } from '../../src/catalogue/column-kind.ts';
import type { CoverageEntry } from '../../src/coverage/coverage.ts';
import { tableColumns } from '../../src/land/rows/columns.ts';
import type { MemoryLake, TableRow } from './memory-table.ts';
import type { SmallChain } from './small-chain.ts';
import { type Line, RANKING, TOLD_BY, truthOf } from './truth.ts';

/** What is wrong with a lake, judged by the truth alone; empty where all is well. */
export function findingsOn(chain: SmallChain, lake: MemoryLake, wasFaulty: boolean): string[] {
  const lists = new Map<string, { entries: CoverageEntry[]; rows: TableRow[] }>();
  const listOf = (endpoint: string, variant: string) => {
    const name = `${endpoint}?${variant}`;
    const list = lists.get(name) ?? { entries: [], rows: [] };
    lists.set(name, list);
    return list;
  };
  for (const entry of lake.coverage.entries()) {
    listOf(entry.endpoint, entry.variant).entries.push(entry);
  }
  for (const row of lake.rows) listOf(row.endpoint, row.variant).rows.push(row);
  const findings: string[] = [];
  for (const [name, { entries, rows }] of lists) {
    const sentences = name.startsWith(RANKING)
      ? rankingFindings(chain, entries, rows)
      : listFindings(chain, entries, rows, wasFaulty);
    findings.push(...sentences.map((finding) => `${name}: ${finding}`));
  }
  return findings;
}

function listFindings(
  chain: SmallChain,
  entries: readonly CoverageEntry[],
  rows: readonly TableRow[],
  wasFaulty: boolean,
): string[] {
  const findings: string[] = [];
  const [first] = entries;
  if (first === undefined) return [`${rows.length} rows and no coverage at all`];
  const from = Math.min(...entries.map((entry) => entry.from));
  const to = Math.max(...entries.map((entry) => entry.to));
  const truth = truthOf(chain, first.endpoint, first.variant, from, to);
  const lines = rows.map(lineOf);
  const [trueLines, landed] = [byKey(truth), byKey(lines)];
  for (const entry of entries) {
    if (entry.status !== 'complete' && entry.status !== 'provisional' && entry.reason === '') {
      findings.push(`${told(entry)} without a reason`);
    }
    const due = within(trueLines.get(entry.key), entry);
    const had = within(landed.get(entry.key), entry);
    if (entry.status === 'complete') {
      if (String(due) !== String(had)) findings.push(`${told(entry)}, but ${differing(due, had)}`);
    } else {
      const invented = beyond(had, due);
      // Pages that come twice are seen too late for a walk that is short of complete anyway.
      const wrong = wasFaulty ? invented.filter((text) => !due.includes(text)) : invented;
      if (wrong.length > 0)
        findings.push(`${told(entry)}, with rows too many: ${invented.join(' | ')}`);
    }
  }
  for (const { height, keys, text } of lines) {
    const isCovered = entries.some(
      (entry) => entry.from <= height && height <= entry.to && keys.includes(entry.key),
    );
    if (!isCovered) findings.push(`a row outside of all coverage: ${text}`);
  }
  return findings;
}

/** A complete ranking is one that there was, whole and in its order. */
function rankingFindings(
  chain: SmallChain,
  entries: readonly CoverageEntry[],
  rows: readonly TableRow[],
): string[] {
  const rankings = new Set(
    chain.rankings.map((ranking) =>
      ranking
        .map((holder) => `${holder['holder_rank']} ${holder['holder_address']} ${holder['amount']}`)
        .join(' | '),
    ),
  );
  const findings: string[] = [];
  for (const entry of entries.filter(({ status }) => status === 'complete')) {
    for (let height = entry.from; height <= entry.to; height += 1) {
      const read = rows.map(lineOf).filter((line) => line.height === height);
      const ranked = read.map(({ text }) => text).sort((a, b) => rankIn(a) - rankIn(b));
      if (!rankings.has(ranked.join(' | '))) {
        findings.push(`${told(entry)}, but no ranking was ever like that: ${ranked.join(' | ')}`);
      }
    }
  }
  return findings;
}

function rankIn(text: string): number {
  return Number(text.split(' ')[0]);
}

const positions = new Map<string, readonly number[]>();

/** Where the columns that tell records apart stand in a table; amounts by their exact text. */
function positionsIn(dataset: string): readonly number[] {
  const cached = positions.get(dataset);
  if (cached !== undefined) return cached;
  const columns = tableColumns(dataset).map(({ name }) => name);
  const places = (TOLD_BY[dataset] ?? []).map((column) =>
    columns.indexOf(column === 'amount' ? 'amount_text' : column),
  );
  if (places.includes(-1)) throw new Error(`a column of ${dataset} is gone`);
  positions.set(dataset, places);
  return places;
}

function lineOf({ dataset, row }: TableRow): Line {
  const spelled = (cell: Cell | undefined): string => (cell === null ? '' : String(cell));
  const text = positionsIn(dataset)
    .map((at) => spelled(row.cells[at]))
    .join(' ');
  return { height: row.height, keys: row.touches, text };
}

function byKey(lines: readonly Line[]): Map<string, Line[]> {
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    for (const key of line.keys) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [line]);
      else group.push(line);
    }
  }
  return groups;
}

function within(lines: readonly Line[] | undefined, entry: CoverageEntry): string[] {
  const texts: string[] = [];
  for (const { height, text } of lines ?? []) {
    if (entry.from <= height && height <= entry.to) texts.push(text);
  }
  return texts.sort();
}

function told({ key, from, to, status, reason, head }: CoverageEntry): string {
  return `${key} ${from}-${to} is ${status} (${reason}) at ${head}`;
}

/** What `many` has more often than `few`. */
function beyond(many: readonly string[], few: readonly string[]): string[] {
  const left = [...few];
  return many.filter((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function differing(due: readonly string[], had: readonly string[]): string {
  const [missing, extra] = [beyond(due, had), beyond(had, due)];
  return `${missing.length} rows are missing [${missing}] and ${extra.length} too many [${extra}]`;
}
