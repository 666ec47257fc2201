import type { ParsedNode, YAMLParseError } from 'yaml';
import { isMap, isScalar, isSeq, Lexer, LineCounter, parseAllDocuments, Scalar } from 'yaml';
import type { Problem } from './problem.ts';

export type Path = readonly PropertyKey[];

/** The position of a value in the text, and its source. */
interface Place {
  readonly line: number;
  readonly column: number;
  /** The source of a scalar; for other nodes, a word such as `a list`. */
  readonly source: string;
}

/** A YAML text as plain values with their positions. */
export interface LocatedYaml {
  /**
   * Objects without a prototype, lists, text, null and numbers. A plain scalar is a number only if
   * `String(number)` is the source text; else it is text.
   */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** The text is not valid YAML, so `value` is null. */
  readonly isBroken: boolean;
  /** The position of the value at a path; undefined if there is none. */
  placeOf(path: Path): Place | undefined;
  /** The position of the key of the value at a path; undefined for list elements and the root. */
  placeOfKey(path: Path): Place | undefined;
}

const NULLS = new Set(['', '~', 'null', 'Null', 'NULL']);
const NUMBER = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/;
/** Hexadecimal numbers of YAML 1.2. */
const HEX = /^0x[0-9a-fA-F]+$/;
const SHORTEST_HASHLIKE = 2 + 40;
/** Most syntax errors in one report. */
const LISTED_ERRORS = 10;

type PlaceAt = (offset: number, content: string) => Place;

/** YAML features that the format excludes, by the first character of their token. */
const REFUSED: Readonly<Record<string, readonly [message: string, advice: string]>> = {
  '&': ['an anchor is not accepted', 'Remove it, and write the values out where you need them.'],
  '*': ['an alias is not accepted', 'Write the value out.'],
  '!': ['a tag is not accepted', 'Remove it; put text in quotes where YAML would misread it.'],
  '%': ['a directive is not accepted', 'Remove the line.'],
};

/** Markers of the lexer that are not characters of the text. */
const DOCUMENT_MARK = '\u0002';
const FLOW_ERROR_MARK = '\u0018';
const SCALAR_MARK = '\u001f';

/**
 * Reads one YAML 1.2 document, with the nulls and hexadecimal numbers of the core schema. Refuses
 * anchors, aliases, tags, directives, further documents, repeated keys, and unquoted hexadecimal
 * values, which YAML would read as inexact numbers.
 */
export function readYaml(source: string): LocatedYaml {
  const text = source.replace(/^\uFEFF/, '');
  const lines = new LineCounter();
  const reading = { schema: 'failsafe', uniqueKeys: false, prettyErrors: false } as const;
  const documents = parseAllDocuments(text, { ...reading, lineCounter: lines });
  const at: PlaceAt = (offset, content) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col, source: content };
  };
  const problems = syntaxProblems(
    [...documents].flatMap((document) => document.errors),
    text,
    at,
  );
  const isBroken = problems.length > 0;
  const root = isBroken ? null : ((documents[0]?.contents ?? null) as ParsedNode | null);
  if (!isBroken) {
    problems.push(...refusedTokens(text, at));
    const second = documents[1];
    if (second !== undefined) {
      problems.push({
        ...at(second.range[0], '---'),
        message: 'a second document is not accepted',
        advice: 'Put each pipeline into a separate file.',
      });
    }
  }
  const value = plainValueOf(root);
  return {
    value,
    problems,
    isBroken,
    placeOf: (path) => {
      const member = memberAt(root, path);
      const { key, value: node = null } = member ?? {};
      return member && at(node?.range[0] ?? key?.range[1] ?? 0, contentOf(node, text));
    },
    placeOfKey: (path) => {
      const { key } = memberAt(root, path) ?? {};
      return key && at(key.range[0], keyOf(key));
    },
  };

  function plainValueOf(node: ParsedNode | null): unknown {
    if (isMap<ParsedNode, ParsedNode | null>(node)) return mappingOf(node.items);
    if (isSeq<ParsedNode>(node)) return node.items.map(plainValueOf);
    // An alias, which `refusedTokens` reports, or a missing node.
    if (!isScalar(node) || isNull(node)) return null;
    const content = String(node.value);
    if (node.type !== Scalar.PLAIN) return content;
    if (HEX.test(content)) problems.push(hexProblem(content, at(node.range[0], content)));
    return NUMBER.test(content) && String(Number(content)) === content ? Number(content) : content;
  }

  function mappingOf(pairs: readonly Pair[]): unknown {
    const mapping: Record<string, unknown> = Object.create(null);
    const lineOf = new Map<string, number>();
    for (const pair of pairs) {
      const key = keyOf(pair.key);
      const place = at(pair.key.range[0], key === '' ? 'nothing' : key);
      const earlier = lineOf.get(key);
      if (key === '' || key === '__proto__') {
        const advice = 'Give the value a name of letters and digits, followed by a colon.';
        problems.push({ ...place, message: 'this cannot be a key', advice });
      } else if (earlier !== undefined) {
        const advice = `Keep one of the two; the first is on line ${earlier}.`;
        problems.push({ ...place, message: 'this key is given twice', advice });
      } else {
        lineOf.set(key, place.line);
        mapping[key] = plainValueOf(pair.value);
      }
    }
    return mapping;
  }
}

interface Pair {
  readonly key: ParsedNode;
  readonly value: ParsedNode | null;
}

/** The node at a path, with its key; undefined if there is none. */
function memberAt(root: ParsedNode | null, path: Path): Partial<Pair> | undefined {
  let member: Partial<Pair> | undefined = { value: root };
  for (const part of path) {
    const node: ParsedNode | null | undefined = member?.value;
    const value: ParsedNode | undefined = isSeq<ParsedNode>(node)
      ? node.items[Number(part)]
      : undefined;
    member = isMap<ParsedNode, ParsedNode | null>(node)
      ? node.items.find(({ key }) => keyOf(key) === String(part))
      : value && { value };
  }
  return member;
}

function keyOf(key: ParsedNode): string {
  return isScalar(key) ? String(key.value) : '';
}

function isNull({ type, value }: Scalar): boolean {
  return type === Scalar.PLAIN && NULLS.has(String(value));
}

/** The source of a scalar, or a word for another node. */
function contentOf(node: ParsedNode | null, text: string): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  return isScalar(node) && !isNull(node) ? text.slice(node.range[0], node.range[1]) : 'nothing';
}

/** The first error of each line. Other errors of a line are mostly its consequences. */
function syntaxProblems(errors: readonly YAMLParseError[], text: string, at: PlaceAt): Problem[] {
  const byLine = new Map<number, Problem>();
  for (const { code, message, pos } of errors) {
    const problem = {
      ...at(pos[0], lineAt(text, pos[0])),
      message: `this is not valid YAML: ${lowerFirst(message)}`,
      advice:
        code === 'TAB_AS_INDENT'
          ? 'Indent with spaces.'
          : 'Correct this line or the one before. Text with : # @ or brackets needs quotes.',
    };
    if (!byLine.has(problem.line)) byLine.set(problem.line, problem);
  }
  return [...byLine.values()].slice(0, LISTED_ERRORS);
}

/** Problems of tokens that the format excludes, including those the composer drops. */
function refusedTokens(text: string, at: PlaceAt): Problem[] {
  const problems: Problem[] = [];
  let offset = 0;
  let isScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (!isScalar && lexeme === SCALAR_MARK) {
      isScalar = true;
      continue;
    }
    if (!isScalar && (lexeme === DOCUMENT_MARK || lexeme === FLOW_ERROR_MARK)) continue;
    const refused = isScalar ? undefined : REFUSED[lexeme.charAt(0)];
    if (refused !== undefined) {
      problems.push({ ...at(offset, lexeme), message: refused[0], advice: refused[1] });
    }
    offset += lexeme.length;
    isScalar = false;
  }
  return problems;
}

function hexProblem(text: string, place: Place): Problem {
  return text.length < SHORTEST_HASHLIKE
    ? {
        ...place,
        message: 'a hexadecimal number is not accepted',
        advice: 'Write it in decimal digits, or in quotes if it is text.',
      }
    : {
        ...place,
        message: 'YAML reads this as a number',
        advice: `Put it in quotes: "${text}".`,
      };
}

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', start);
  return text.slice(start, end === -1 ? undefined : end).trim() || 'an empty line';
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).split('\n', 1).join('');
}
