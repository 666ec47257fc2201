import type { ParsedNode, YAMLParseError } from 'yaml';
import { Composer, isMap, isScalar, isSeq, Lexer, LineCounter, Parser, Scalar } from 'yaml';
import type { Problem } from './problem.ts';

export type Path = readonly PropertyKey[];

/** Where a value stands in the text, and how it is written there. */
interface Place {
  readonly line: number;
  readonly column: number;
  /** The source of a scalar, or a word for what is no scalar. */
  readonly given: string;
}

/** A YAML text as plain values, of which each knows its place. */
export interface LocatedYaml {
  /**
   * Objects without a prototype, lists, text, null, and numbers: only plain scalars whose digits a
   * number keeps exactly, so that `String(number)` is the source text again. All else is text.
   */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** The text is no YAML, so its value means nothing. */
  readonly isBroken: boolean;
  /** The place of the value at a path; undefined where the text has none. */
  placeOf(path: Path): Place | undefined;
  /** The place of the key that holds the value at a path; undefined for elements and the root. */
  placeOfKey(path: Path): Place | undefined;
}

const NULLS = new Set(['', '~', 'null', 'Null', 'NULL']);
const NUMBER = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/;
/** What version 1.2 of YAML reads as a hexadecimal number. */
const HEX = /^0x[0-9a-fA-F]+$/;
const SHORTEST_HASHLIKE = 2 + 40;
/** Most errors of broken text that are worth reading. */
const LISTED_ERRORS = 10;

type PlaceAt = (offset: number, given: string) => Place;

/** What this format leaves out of YAML, by the first character of its token. */
const REFUSED: Readonly<Record<string, readonly [what: string, advice: string]>> = {
  '&': ['an anchor is not accepted', 'Remove it, and write values out where they are wanted.'],
  '*': ['an alias is not accepted', 'Write the value out.'],
  '!': ['a tag is not accepted', 'Remove it; put text in quotes where YAML would misread it.'],
  '%': ['a directive is not accepted', 'Remove the line.'],
};

/** Markers of the lexer that stand for no character of the text. */
const DOCUMENT_MARK = '\u0002';
const FLOW_ERROR_MARK = '\u0018';
const SCALAR_MARK = '\u001f';

/**
 * Reads one YAML document, version 1.2, with the core schema's idea of null and of hexadecimal
 * numbers. Refuses anchors, aliases, tags, directives, further documents, keys given twice, and
 * unquoted hexadecimal values, which YAML would read as inexact numbers.
 */
export function readYaml(source: string): LocatedYaml {
  const text = source.replace(/^\uFEFF/, '');
  const lines = new LineCounter();
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const composer = new Composer({ schema: 'failsafe', uniqueKeys: false, prettyErrors: false });
  const documents = [...composer.compose(tokens, true, text.length)];

  const at: PlaceAt = (offset, given) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col, given };
  };
  const problems = syntaxProblems(
    documents.flatMap((document) => document.errors),
    text,
    at,
  );
  const isBroken = problems.length > 0;
  if (isBroken) return located(null, problems, true, new Map(), new Map());

  problems.push(...refusedTokens(text, at));
  const [first, second] = documents;
  if (second !== undefined) {
    problems.push({
      ...at(second.range[0], '---'),
      what: 'a second document is not accepted',
      advice: 'Put each pipeline into a file of its own.',
    });
  }
  const walk = new Walk(text, at, problems);
  const value = walk.valueOf((first?.contents ?? null) as ParsedNode | null, [], 0);
  return located(value, problems, false, walk.places, walk.keyPlaces);
}

function located(
  value: unknown,
  problems: readonly Problem[],
  isBroken: boolean,
  places: ReadonlyMap<string, Place>,
  keyPlaces: ReadonlyMap<string, Place>,
): LocatedYaml {
  return {
    value,
    problems,
    isBroken,
    placeOf: (path) => places.get(textOf(path)),
    placeOfKey: (path) => keyPlaces.get(textOf(path)),
  };
}

/** The first error of each line: others on it are mostly its consequences. */
function syntaxProblems(errors: readonly YAMLParseError[], text: string, at: PlaceAt): Problem[] {
  const byLine = new Map<number, Problem>();
  for (const { code, message, pos } of errors) {
    const problem = {
      ...at(pos[0], lineAt(text, pos[0])),
      what: `this is no YAML: ${lowerFirst(message)}`,
      advice:
        code === 'TAB_AS_INDENT'
          ? 'Indent with spaces.'
          : 'Correct the line, or the one before; text with : # @ or brackets in it needs quotes.',
    };
    if (!byLine.has(problem.line)) byLine.set(problem.line, problem);
  }
  return [...byLine.values()].slice(0, LISTED_ERRORS);
}

/** Problems of the tokens that this format leaves out; exact even where values are not kept. */
function refusedTokens(text: string, at: PlaceAt): Problem[] {
  const found: Problem[] = [];
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
      found.push({ ...at(offset, lexeme), what: refused[0], advice: refused[1] });
    }
    offset += lexeme.length;
    isScalar = false;
  }
  return found;
}

/** One pass over the nodes of a document, which notes places and problems on its way. */
class Walk {
  readonly places = new Map<string, Place>();
  readonly keyPlaces = new Map<string, Place>();
  readonly #text: string;
  readonly #at: PlaceAt;
  readonly #problems: Problem[];

  constructor(text: string, at: PlaceAt, problems: Problem[]) {
    this.#text = text;
    this.#at = at;
    this.#problems = problems;
  }

  /** The value of a node; `offset` is where it would stand if there is none. */
  valueOf(node: ParsedNode | null, path: Path, offset: number): unknown {
    const note = (given: string): Place => {
      const place = this.#at(node?.range[0] ?? offset, given);
      this.places.set(textOf(path), place);
      return place;
    };
    if (isMap<ParsedNode, ParsedNode | null>(node)) {
      note('a mapping');
      return this.#mapping(node.items, path);
    }
    if (isSeq<ParsedNode>(node)) {
      note('a list');
      return node.items.map((item, i) => this.valueOf(item, [...path, i], node.range[0]));
    }
    if (!isScalar(node)) {
      // An alias, which is a problem already, or nothing at all.
      note('nothing');
      return null;
    }
    return this.#scalar(node, note);
  }

  #mapping(
    pairs: readonly { readonly key: ParsedNode; readonly value: ParsedNode | null }[],
    path: Path,
  ): unknown {
    const value: Record<string, unknown> = Object.create(null);
    const lineOf = new Map<string, number>();
    for (const pair of pairs) {
      const key = isScalar(pair.key) ? String(pair.key.value) : '';
      const place = this.#at(pair.key.range[0], key === '' ? 'nothing' : key);
      const earlier = lineOf.get(key);
      if (key === '' || key === '__proto__') {
        const advice = 'Give the value a name of letters and digits, followed by a colon.';
        this.#problems.push({ ...place, what: 'this cannot be a key', advice });
      } else if (earlier !== undefined) {
        const advice = `Keep one of the two; the first is on line ${earlier}.`;
        this.#problems.push({ ...place, what: 'this key is given twice', advice });
      } else {
        lineOf.set(key, place.line);
        const inner = [...path, key];
        this.keyPlaces.set(textOf(inner), place);
        value[key] = this.valueOf(pair.value, inner, pair.key.range[1]);
      }
    }
    return value;
  }

  #scalar(node: Scalar.Parsed, note: (given: string) => Place): unknown {
    const text = String(node.value);
    const place = note(this.#text.slice(node.range[0], node.range[1]));
    if (node.type !== Scalar.PLAIN) return text;
    if (NULLS.has(text)) {
      note('nothing');
      return null;
    }
    if (HEX.test(text)) this.#problems.push(hexProblem(text, place));
    return NUMBER.test(text) && String(Number(text)) === text ? Number(text) : text;
  }
}

function hexProblem(text: string, place: Place): Problem {
  return text.length < SHORTEST_HASHLIKE
    ? {
        ...place,
        what: 'a hexadecimal number is not accepted',
        advice: 'Write it in decimal digits, or in quotes if it is text.',
      }
    : {
        ...place,
        what: 'without quotes this is a number to YAML',
        advice: `Put it in quotes: "${text}".`,
      };
}

function textOf(path: Path): string {
  return path.map(String).join('\n');
}

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', start);
  return text.slice(start, end === -1 ? undefined : end).trim() || 'an empty line';
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).split('\n', 1).join('');
}
