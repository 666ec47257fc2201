import type {
  DocumentedLimit,
  DocumentedOperation,
  InterfaceDocument,
} from './interface-document.ts';

/**
 * The limits of one operation, from its own text, from sentences that hold for all lists, and from
 * the table of limits. They are compared with each other before anything else is.
 */

const NONE = 'none';

/** What the table calls a limit, and which fact it states. */
const ROWS: Readonly<Record<string, string>> = {
  'Page size maximum / default': 'page size',
  'Block range (end minus start)': 'block span',
  'Addresses per request': 'most items',
  'Transaction hashes per request': 'most items',
  'Libraries per verification': 'most items',
  'Depth of block list': 'depth in blocks',
  'Depth of holder ranking': 'depth in records',
  'Depth of address history': 'depth in years',
  'Zone page number default': 'first page',
  // How long a job takes is nothing that a request or a record could break.
  'Verification time': 'time of a job',
};

/** Rows of the table that no fact is known for. */
export function unknownLimits({ limits }: InterfaceDocument): string[] {
  return limits.map(({ limit }) => limit).filter((limit) => !Object.hasOwn(ROWS, limit));
}

/**
 * Facts about page size, span and depths. Throws where the operation's own text and the table of
 * limits disagree, or where one of them is silent.
 */
export function statedLimits(document: InterfaceDocument, operation: DocumentedOperation) {
  const { id, params, notes } = operation;
  const text = notes.filter((note) => !note.startsWith('Parameters: ')).join(' ');
  const meanings = params.map(({ meaning }) => meaning).join('; ');
  const said: [string, string | undefined][] = [
    ['page size', ownPageSize(document, operation)],
    ['block span', numberIn(/must not exceed ([0-9,]+)/, meanings)],
    ['depth in blocks', numberIn(/latest ([0-9,]+) blocks/, text)],
    ['depth in records', numberIn(/top ([0-9,]+) balances/, text)],
    ['depth in years', /from the last year\b/.test(text) ? '1' : undefined],
    ['most items', itemsIn(meanings)?.toString()],
    ['first page', firstPage(document, operation)],
  ];
  const facts = new Map<string, string>();
  for (const [fact, value] of said) {
    const rows = document.limits.filter((row) => ROWS[row.limit] === fact && holds(row, operation));
    if ((value === undefined) !== (rows.length === 0)) {
      throw new Error(
        `${id}: ${fact} stands in its text or in the table of limits, and not in both`,
      );
    }
    const all = new Set([value, ...rows.map(numbersIn)].filter((number) => number !== undefined));
    if (all.size > 1) throw new Error(`${id}: ${fact} is ${[...all].join(' or ')}`);
    facts.set(fact, [...all][0] ?? NONE);
  }
  for (const fact of ['most items', 'first page']) facts.delete(fact);
  return facts;
}

function holds({ appliesTo }: DocumentedLimit, { id, axis, params }: DocumentedOperation): boolean {
  const isZoneList = axis === 'zone' && params.some(({ name }) => name === 'page');
  if (isZoneList && /\bzone list endpoints$/.test(appliesTo)) return true;
  return new RegExp(`\\b${id}\\b`).test(appliesTo);
}

function numbersIn({ value }: DocumentedLimit): string | undefined {
  if (/^\d+ \/ \d+$/.test(value)) return value;
  if (/^one year\b/.test(value)) return '1';
  return numberIn(/([0-9,]*[0-9])/, value);
}

function ownPageSize({ conventions }: InterfaceDocument, { axis, params }: DocumentedOperation) {
  const limit = params.find(({ name }) => name === 'limit');
  if (limit === undefined) return undefined;
  const shared = /every zone list endpoint, `limit` is an optional Integer \(([^)]+)\)/;
  const ofAll = axis === 'zone' ? shared.exec(conventions)?.[1] : undefined;
  const sizes = [limit.meaning, ofAll].map((text) =>
    /\bmaximum (\d+), default (\d+)/
      .exec(text ?? '')
      ?.slice(1, 3)
      .join(' / '),
  );
  const [first, second] = sizes;
  if (first !== undefined && second !== undefined && first !== second) {
    throw new Error(`page size is ${first} or ${second}`);
  }
  return first ?? second;
}

function firstPage({ conventions }: InterfaceDocument, { axis, params }: DocumentedOperation) {
  const page = params.find(({ name }) => name === 'page');
  if (axis !== 'zone' || page === undefined) return undefined;
  const ofAll = /`page` is an optional Integer \(default (\d+)\)/.exec(conventions)?.[1];
  return /^default (\d+)$/.exec(page.meaning)?.[1] ?? ofAll;
}

/** How many items a text allows a parameter to hold. */
export function itemsIn(text: string): number | undefined {
  const digits = /\b(?:up to|at most) (\d+)\b/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The number a pattern finds, without its commas. */
function numberIn(pattern: RegExp, text: string): string | undefined {
  return pattern.exec(text)?.[1]?.replaceAll(',', '');
}
