import { expect, it } from 'vitest';
import { datasets, datasetsOf, endpoints } from '../../src/catalogue/index.ts';
import { rpcMethods } from '../../src/catalogue/rpc/rpc-catalogue.ts';
import {
  FRAGMENT_MEMBERS,
  type MessageMember,
} from '../../src/catalogue/stream/fragment-message.ts';
import { CAPTURED_TABLES } from '../../src/land/captured-table.ts';
import { withDocument } from './interface-file.ts';

/** Goal: each endpoint, method and member of an event in the document has a table of the lake. */

const TABLES = new Set([...datasets, ...CAPTURED_TABLES].map(({ name }) => name));

/** The tables by the name in the document: of an endpoint its path, of a member its path of names. */
function landing(): ReadonlyMap<string, readonly string[]> {
  const named = (members: readonly MessageMember[], before = ''): [string, string[]][] =>
    members.flatMap(({ name, table, members: inner = [] }) => [
      [before + name, [table]],
      ...named(inner, `${before}${name}.`),
    ]);
  return new Map<string, readonly string[]>([
    ...endpoints.map((of): [string, string[]] => [`/api/v5/${of.path}`, datasetsOf(of)]),
    ...rpcMethods.map(({ method, table }): [string, string[]] => [method, [table]]),
    ...named(FRAGMENT_MEMBERS),
  ]);
}

withDocument('the interface', (text) => {
  const section = (title: string, level: string): string =>
    text.split(`\n${level} ${title}\n`)[1]?.split(/\n##? /)[0] ?? '';
  const tables = landing();
  const found = (names: readonly string[]) => {
    expect(names.length).toBeGreaterThan(0);
    expect(
      names.filter((name) => !(tables.get(name) ?? []).some((each) => TABLES.has(each))),
    ).toEqual([]);
  };

  it('has a table for every endpoint', () => {
    found([...text.matchAll(/^`(?:GET|POST) (\/api\/v5\/[^`]+)`/gm)].map(([, path = '']) => path));
  });

  it('has a table for every method of JSON-RPC', () => {
    const part = text.split('### Public JSON-RPC endpoint')[1]?.split('\n## ')[0] ?? '';
    found([...part.matchAll(/^\| (eth_\w+) \|/gm)].map(([, name = '']) => name));
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
        .map((each) => `${name}.${each.trim()}`);
    };
    const side = events.split('`metadata` fields:')[1] ?? '';
    const metadata = [...side.matchAll(/^- (\w+)/gm)].map(([, name]) => `metadata.${name}`);
    found([...top, ...listed('base'), ...listed('diff'), ...metadata]);
  });
});
