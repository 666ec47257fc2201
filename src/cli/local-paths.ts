import { normalize, resolve } from 'node:path';
import { Fault } from '../fault.ts';
import { isAddress } from '../land/places/address.ts';

/**
 * Throws a usage fault for paths that the shell or DuckDB would read as another place. DuckDB opens
 * the files of the data root, and takes some names for patterns or for columns.
 */
export function checkPaths(given: object): void {
  for (const option of ['data', 'out'] as const) {
    const path: unknown = option in given ? (given as Record<string, unknown>)[option] : undefined;
    if (typeof path !== 'string' || (option === 'data' && isAddress(path))) continue;
    const wrong = /^[a-z][\w+.-]+:/i.exec(path)?.[0];
    if (wrong !== undefined) {
      throw refusal(option, path, `begins with ${wrong} and is not a path on this machine`);
    }
    if (normalize(path).startsWith('~')) {
      throw refusal(option, path, 'begins with ~, which the shell did not replace');
    }
    if (option !== 'data') continue;
    const place = resolve(path);
    const [character] = /[*?[]|\p{Cc}/u.exec(place) ?? [];
    if (character !== undefined) {
      const shown = JSON.stringify(character);
      throw refusal(option, place, `has the character ${shown}, which is a pattern for DuckDB`);
    }
    const [folder] = /[^/]+=[^/]*/.exec(place) ?? [];
    if (folder !== undefined) {
      throw refusal(option, place, `has the folder ${folder}, which is a column for DuckDB`);
    }
  }
}

function refusal(option: string, path: string, reason: string): Fault {
  const advice =
    option === 'data'
      ? 'Name a folder of this machine, with its whole path: --data /srv/lake.'
      : 'Name a file of this machine, with its whole path: --out /srv/rows.csv.';
  return new Fault('usage', `The path of --${option} ${reason}.`, { where: path, advice });
}
