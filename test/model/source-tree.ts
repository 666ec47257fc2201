import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';

/** The sources as data: every file with its text, and who imports whom. */
export type SourceTree = ReadonlyMap<string, string>;

/** One import: `to` is a file for relative ones, and what is written there for all others. */
export interface Import {
  readonly from: string;
  readonly to: string;
  readonly isRelative: boolean;
}

/** Every TypeScript file under a folder of the repository, by its path from the repository. */
export async function readTree(repository: string, folder: string): Promise<SourceTree> {
  const names = await readdir(join(repository, folder), { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts')).sort();
  const texts = await Promise.all(
    files.map((name) => readFile(join(repository, folder, name), 'utf8')),
  );
  return new Map(
    files.map((name, i) => [posix.join(folder, name.split(sep).join('/')), texts[i] ?? '']),
  );
}

/** The pipeline, and the service beside it. */
export async function readSources(repository: string): Promise<SourceTree> {
  const trees = await Promise.all(['src', 'service/src'].map((root) => readTree(repository, root)));
  return new Map(trees.flatMap((tree) => [...tree]));
}

const FORMS = [
  // import x from 'y'; import type { a, b } from 'y'; export * from 'y'; over any lines.
  /^[ \t]*(?:import|export)\b[^;'"]*?\bfrom\s*(['"])(?<name>[^'"]+)\1/gm,
  // import 'y';
  /^[ \t]*import\s*(['"])(?<name>[^'"]+)\1/gm,
  // import('y'), as a call or as a type.
  /\bimport\(\s*(['"])(?<name>[^'"]+)\1/g,
];

/** A text without its comments, but for those behind code. */
export function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

/** What a text imports, as it is written there, each once. Comments do not count. */
export function importsIn(text: string): string[] {
  const code = codeOf(text);
  const names = FORMS.flatMap((form) =>
    [...code.matchAll(form)].map((hit) => hit.groups?.['name']),
  );
  return [...new Set(names)].filter((name) => name !== undefined);
}

export function importsOf(tree: SourceTree): Import[] {
  return [...tree].flatMap(([from, text]) =>
    importsIn(text).map((name) => {
      const isRelative = name.startsWith('.');
      return { from, to: isRelative ? posix.join(dirname(from), name) : name, isRelative };
    }),
  );
}

/** The package a bare import is from: `@scope/name`, or the first segment. */
export function packageOf(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/');
}

/** A way from a file back to itself, or undefined when there is none. */
export function cycleIn(imports: readonly Import[]): string[] | undefined {
  const next = new Map<string, string[]>();
  for (const { from, to, isRelative } of imports) {
    if (isRelative) next.set(from, [...(next.get(from) ?? []), to]);
  }
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): string[] | undefined => {
    const start = path.indexOf(file);
    if (start >= 0) return [...path.slice(start), file];
    if (done.has(file)) return undefined;
    path.push(file);
    for (const to of next.get(file) ?? []) {
      const cycle = visit(to);
      if (cycle !== undefined) return cycle;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of next.keys()) {
    const cycle = visit(file);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
