/**
 * The interface as its document states it: operations, parameters, records and limits, read from
 * tables and from prose alike. Nothing here knows the catalogue.
 */

export interface DocumentedParam {
  readonly name: string;
  /** As written: `String`, `Integer` ...; undefined where the operation does not say. */
  readonly type: string | undefined;
  /** `yes`, `no` or `conditional`; undefined where the operation does not say. */
  readonly required: string | undefined;
  readonly meaning: string;
}

export interface DocumentedOperation {
  /** `E1` to `E21`, with `E13a` and `E13b`. */
  readonly id: string;
  readonly title: string;
  readonly axis: 'primary' | 'zone';
  readonly method: string;
  /** Without `/api/v5/`. */
  readonly path: string;
  readonly params: readonly DocumentedParam[];
  /** The paragraph that begins with `Response`. */
  readonly response: string;
  /** Everything else, one line each. */
  readonly notes: readonly string[];
}

export interface DocumentedField {
  readonly name: string;
  readonly type: string;
  readonly meaning: string;
}

export interface DocumentedRecord {
  readonly title: string;
  /** What follows the title: where the record is used, and what it inherits. */
  readonly use: string;
  /** All of them, those of the record it inherits from first. */
  readonly fields: readonly DocumentedField[];
  readonly notes: readonly string[];
}

export interface DocumentedLimit {
  readonly limit: string;
  readonly appliesTo: string;
  readonly value: string;
}

export interface InterfaceDocument {
  readonly operations: readonly DocumentedOperation[];
  readonly records: readonly DocumentedRecord[];
  readonly limits: readonly DocumentedLimit[];
  /** Sentences that hold for all operations. */
  readonly conventions: string;
}

/** Reads the document. Throws an Error for text whose form is not known. */
export function parseInterface(text: string): InterfaceDocument {
  const lines = text.split('\n');
  const endpoints = partOf(lines, '## Endpoints');
  const resources = partOf(lines, '## Resources and their fields');
  const firstOperation = endpoints.findIndex((line) => OPERATION.test(line));
  return {
    operations: operationsIn(endpoints),
    records: recordsIn(resources),
    limits: rowsIn(partOf(lines, '## Limits')).map(([limit = '', appliesTo = '', value = '']) => ({
      limit,
      appliesTo,
      value,
    })),
    conventions: [
      ...partOf(resources, '### Common conventions'),
      ...endpoints.slice(0, firstOperation),
    ].join('\n'),
  };
}

/** The lines below a heading, up to the next one of its level or above. */
function partOf(lines: readonly string[], heading: string): string[] {
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`the document has no ${heading}`);
  const level = heading.indexOf(' ');
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^#+ /.test(line) && line.indexOf(' ') <= level);
  return end < 0 ? rest : rest.slice(0, end);
}

/** The cells of every row below the head of a table. */
function rowsIn(lines: readonly string[]): string[][] {
  const rows = lines
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return rows.slice(2);
}

const OPERATION = /^\*\*(E[0-9]+[a-z]?)\. (.+)\*\*$/;
const ROUTE = /^`(GET|POST) \/api\/v5\/([^`]+)`/;

function operationsIn(lines: readonly string[]): DocumentedOperation[] {
  const starts = lines.flatMap((line, at) => (OPERATION.test(line) ? [at] : []));
  return starts.map((start, i) => {
    const after = lines.slice(start + 1, starts[i + 1]);
    const end = after.findIndex((line) => /^#+ /.test(line));
    const body = end < 0 ? after : after.slice(0, end);
    const before = lines.slice(0, start).filter((line) => line.startsWith('### '));
    return operation(lines[start] ?? '', body, before.at(-1) ?? '');
  });
}

function operation(head: string, body: readonly string[], section: string): DocumentedOperation {
  const [, id = '', title = ''] = OPERATION.exec(head) ?? [];
  const route = body.map((line) => ROUTE.exec(line)).find((match) => match !== null);
  if (route === null || route === undefined) throw new Error(`${id} has no path`);
  const [, method = '', path = ''] = route;
  const prose = body.find((line) => line.startsWith('Parameters: '));
  const rows = rowsIn(body);
  if ((prose === undefined) === (rows.length === 0)) throw new Error(`${id}: which parameters?`);
  const params =
    prose === undefined
      ? rows.map(([name = '', type = '', required = '', meaning = '']) => {
          return { name, type, required, meaning };
        })
      : proseParams(id, prose.slice('Parameters: '.length));
  const response = body.find((line) => line.startsWith('Response'));
  if (response === undefined) throw new Error(`${id} has no response`);
  const notes = body.filter((line) => line !== '' && line !== response && !line.startsWith('|'));
  const axis = section === '### Zone chain' ? 'zone' : 'primary';
  return { id, title, axis, method, path, params, response, notes };
}

/** `name (type, required; meaning), name, name (...): meaning. All are Strings.` */
function proseParams(id: string, prose: string): DocumentedParam[] {
  const params: DocumentedParam[] = [];
  const item = /^([A-Za-z]+)(?: \(((?:[^()]|\([^()]*\))*)\))?(?:: ([^.]+))?(?:[,;] |\.( |$))/;
  let rest = prose;
  for (;;) {
    const match = item.exec(rest);
    if (match === null) throw new Error(`${id}: no parameter begins with ${rest}`);
    const [whole, name = '', within = '', after = '', end] = match;
    const required = /\brequired\b/.test(within) ? 'yes' : undefined;
    params.push({
      name,
      type: /\b(String|Integer|Long|Array|Boolean)\b/.exec(within)?.[1],
      required: required ?? (/\boptional\b/.test(within) ? 'no' : undefined),
      meaning: [within, after].filter((part) => part !== '').join(': '),
    });
    rest = rest.slice(whole.length);
    if (end === undefined) continue;
    const all = /\bAll (optional parameters )?are Strings\./.exec(rest);
    if (all === null) return params;
    const [, onlyOptional] = all;
    return params.map((param) => {
      const isMeant = onlyOptional === undefined || param.required !== 'yes';
      return { ...param, type: param.type ?? (isMeant ? 'String' : undefined) };
    });
  }
}

const RECORD = /^\*\*([^*]+)\*\*(,.*:)$/;

function recordsIn(lines: readonly string[]): DocumentedRecord[] {
  const starts = lines.flatMap((line, at) => (RECORD.test(line) ? [at] : []));
  const records: DocumentedRecord[] = [];
  starts.forEach((start, i) => {
    const [, title = '', use = ''] = RECORD.exec(lines[start] ?? '') ?? [];
    const after = lines.slice(start + 1, starts[i + 1]);
    const end = after.findIndex((line) => /^#+ /.test(line));
    const body = end < 0 ? after : after.slice(0, end);
    const rows = rowsIn(body).flatMap(([names = '', type = '', meaning = '']) =>
      names.split(' / ').map((name) => ({ name, type, meaning })),
    );
    const notes = body.filter((line) => line !== '' && !line.startsWith('|'));
    const fields = [...inherited(title, use, notes, records), ...rows];
    if (fields.length === 0) throw new Error(`${title} has no fields`);
    records.push({ title, use, fields, notes });
  });
  return records;
}

/** Fields that a record takes over: from the one above, from another form, or by name. */
function inherited(
  title: string,
  use: string,
  notes: readonly string[],
  before: readonly DocumentedRecord[],
): readonly DocumentedField[] {
  if (use.includes('same as the record above, except:')) {
    const without = notes.flatMap((note) => /^- It has no `(\w+)` field\.$/.exec(note)?.[1] ?? []);
    return (before.at(-1)?.fields ?? []).filter(({ name }) => !without.includes(name));
  }
  if (use.includes('all fields of the list form, plus:')) {
    const form = title.replace('detail form', 'list form');
    return before.find((record) => record.title === form)?.fields ?? [];
  }
  const named = /: the fields (.+) as above, plus:$/.exec(use)?.[1];
  if (named === undefined) {
    if (/\b(same|plus|above)\b/.test(use)) throw new Error(`${title}: what does it inherit?`);
    return [];
  }
  const above = before.at(-1)?.fields ?? [];
  return named.split(/, | and /).map((name) => {
    const field = above.find((row) => row.name === name);
    if (field === undefined) throw new Error(`${title}: there is no ${name} above`);
    return field;
  });
}
