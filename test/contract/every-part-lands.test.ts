import { expect, it } from 'vitest';
import { datasets, datasetsOf, endpoints } from '../../src/catalogue/index.ts';
import { rpcMethods } from '../../src/catalogue/rpc/rpc-catalogue.ts';
import {
  FRAGMENT_MEMBERS,
  type MessageMember,
} from '../../src/catalogue/stream/fragment-message.ts';
import { CAPTURED_TABLES } from '../../src/land/captured-table.ts';
import { parseInterface } from './interface-document.ts';
import { withDocument } from './interface-file.ts';
import { recordOf } from './stated-facts.ts';

/** Headings about requests and answers, and not about data. */
const WITHOUT_DATA = [
  'What the service does',
  'Common conventions',
  'Authentication',
  'Errors',
  'Versioning',
];

/**
 * Goal: each heading, endpoint, method and member of an event in the document has a table of the
 * lake.
 */

const TABLES = new Set([...datasets, ...CAPTURED_TABLES].map(({ name }) => name));

/** The tables by the name in the document: of an endpoint its path, of a member its path of names. */
function landing(): ReadonlyMap<string, readonly string[]> {
  const named = (members: readonly MessageMember[], before = ''): [string, string[]][] =>
    members.flatMap(({ name, table, members: inner = [] }) => [
      [before + name, [table]],
      ...named(inner, `${before}${name}.`),
    ]);
  return new Map<string, readonly string[]>([
    ...endpoints.map((entry): [string, string[]] => [`/api/v5/${entry.path}`, datasetsOf(entry)]),
    ...rpcMethods.map(({ method, table }): [string, string[]] => [method, [table]]),
    ...named(FRAGMENT_MEMBERS),
  ]);
}

/** The tables by the name of a field in an answer. */
const FIELDS = new Map(
  endpoints.flatMap((entry) => entry.fields.map(({ wire }) => [wire, datasetsOf(entry)] as const)),
);

withDocument('the interface', (text) => {
  const section = (title: string, level: string): string =>
    text.split(`\n${level} ${title}\n`)[1]?.split(/\n##? /)[0] ?? '';
  const tables = landing();
  const lands = (names: readonly string[]) => {
    expect(names.length).toBeGreaterThan(0);
    expect(
      names.filter((name) => !(tables.get(name) ?? []).some((table) => TABLES.has(table))),
    ).toEqual([]);
  };

  it('has a table for every endpoint', () => {
    lands([...text.matchAll(/^`(?:GET|POST) (\/api\/v5\/[^`]+)`/gm)].map(([, path = '']) => path));
  });

  it('has a table for every method of JSON-RPC', () => {
    const part = text.split('### Public JSON-RPC endpoint')[1]?.split('\n## ')[0] ?? '';
    lands([...part.matchAll(/^\| (eth_\w+) \|/gm)].map(([, name = '']) => name));
  });

  it('has a table for every member of an event', () => {
    const events = section('Events', '##');
    const top = [...events.matchAll(/^\| (\w+) \| (?:integer|String|object)/gm)].map(
      ([, name = '']) => name,
    );
    const listed = (name: string): string[] => {
      const line = new RegExp(`^\`${name}\` fields[^:]*: (.*)\\.$`, 'm').exec(events)?.[1] ?? '';
      return line
        .replace(/\([^)]*\)/g, '')
        .split(',')
        .map((field) => `${name}.${field.trim()}`);
    };
    const side = events.split('`metadata` fields:')[1] ?? '';
    const metadata = [...side.matchAll(/^- (\w+)/gm)].map(([, name]) => `metadata.${name}`);
    lands([...top, ...listed('base'), ...listed('diff'), ...metadata]);
  });

  it('has a table for every heading, but for those that describe requests and answers', () => {
    const document = parseInterface(text);
    const lines = text.split('\n');
    const rank = (line: string): number => (line.startsWith('**') ? 9 : line.search(/[^#]/));
    const headings = lines.flatMap((line, at) => (/^#+ |^\*\*/.test(line) ? [at] : []));
    const placed = headings.map((at): [string, readonly string[]] => {
      const line = lines[at] ?? '';
      const next = headings.find((index) => index > at && rank(lines[index] ?? '') <= rank(line));
      const body = lines.slice(at, next).join('\n');
      const title = /[A-Z][^*]*/.exec(line)?.[0] ?? '';
      const record = document.records.find((entry) => entry.title === title);
      const operations = document.operations.filter((operation) => {
        const isNamed = new RegExp(`\\b${operation.id}\\b`).test(body);
        return record === undefined ? isNamed : recordOf(document, operation) === record;
      });
      const paths = operations.map(({ path }) => `/api/v5/${path}`);
      const words = [...body.matchAll(/\| (\w+) (?=\|)/g)].map(([, word = '']) => word);
      const names = record === undefined ? [...paths, ...words] : paths;
      return [title, names.flatMap((name) => tables.get(name) ?? FIELDS.get(name) ?? [])];
    });
    expect(placed.length).toBeGreaterThan(40);
    const isIn = (names: readonly string[]): boolean => names.some((name) => TABLES.has(name));
    expect(placed.flatMap(([title, names]) => (isIn(names) ? [] : [title]))).toEqual(WITHOUT_DATA);
  });
});
