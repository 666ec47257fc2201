import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { fileKinds } from './fixtures/file-kinds.ts';
import { namesBelow } from './fixtures/names-below.ts';
import {
  besideService,
  coverageForms,
  crowdedRooms,
  cycleOfRooms,
  diskUsers,
  doorsDown,
  doorsOf,
  homeless,
  isAmbient,
  linesBelow,
  lookUps,
  matching,
  needlessDoors,
  packagesIn,
  sharedNames,
  throughWalls,
  tooLong,
  topFolders,
  touchesWorld,
  vaguelyNamed,
  withoutPrefix,
  wordsOfProse,
} from './model/architecture-rules.ts';
import type { SourceTree } from './model/source-tree.ts';
import { cycleIn, importsIn, importsOf, readSources } from './model/source-tree.ts';

/**
 * Goal: the rules of ARCHITECTURE.md hold in the sources. Each is shown to find something
 * in planted sources, and to find nothing in ours.
 */

const REPOSITORY = fileURLToPath(new URL('../', import.meta.url));

let tree: SourceTree;
let dependencies: string[];
/** Packages that the build bundles and an install leaves out, for their size. */
const BUNDLED = /^(viem|@opentelemetry\/.*)$/;
/** Optional packages, which only workers and lakes in object stores need. */
const OPTIONAL = ['bullmq', 'ioredis', 'opendal'];
const ROOT_PAGES = ['README', 'ARCHITECTURE', 'CHANGELOG', 'CONTRIBUTING', 'SECURITY'].map(
  (name) => `${name}.md`,
);

beforeAll(async () => {
  tree = await readSources(REPOSITORY);
  const text = await readFile(`${REPOSITORY}package.json`, 'utf8');
  dependencies = Object.keys((JSON.parse(text) as { dependencies: object }).dependencies);
});

const planted = (...files: [string, string][]): SourceTree => new Map(files);

describe('the reader of imports', () => {
  it('sees every form of them, over several lines, and none in comments', () => {
    const text = [
      "import a from './a.ts';",
      "import type { B } from './b.ts';",
      'import {',
      '  c, // of old',
      '  d,',
      "} from './c.ts';",
      "export * from './d.ts';",
      "export { e } from './e.ts';",
      "import './f.ts';",
      "const g = await import('./g.ts');",
      "type H = import('./h.ts').H;",
      "// import z from './z.ts';",
      "/* import y from './y.ts'; */",
      "const text = 'taken from \\'./x.ts\\'';",
    ].join('\n');
    expect(importsIn(text).sort()).toEqual([...'abcdefgh'].map((letter) => `./${letter}.ts`));
  });

  it('has read our sources', () => {
    expect(tree.size).toBeGreaterThan(80);
    const imports = importsOf(tree);
    const relative = imports.filter(({ isRelative }) => isRelative);
    expect(relative.length).toBeGreaterThan(250);
    expect(imports.length - relative.length).toBeGreaterThan(60);
    const targets = relative
      .filter(({ from }) => from === 'src/land/delta/stored-table.ts')
      .map(({ to }) => to);
    // The first stands alone on its line, the second closes an import of many lines.
    expect(targets).toContain('src/fault.ts');
    expect(targets).toContain('src/land/delta/actions.ts');
    expect(relative.filter(({ to }) => !tree.has(to))).toEqual([]);
  });
});

describe('imports', () => {
  it('come from files whose folder is in the table of rooms', () => {
    expect(homeless(planted(['src/new/a.ts', ''], ['src/extra.ts', '']))).toHaveLength(2);
    expect(homeless(tree)).toEqual([]);
  });

  it('go through doors only', () => {
    const wrong: [string, string][] = [
      ['src/plan/a.ts', "import '../fetch/walk/pages.ts';"],
      ['src/land/rows/a.ts', "import '../lake.ts';"],
      ['src/fetch/rate/a.ts', "import '../http/client.ts';"],
      ['src/pipeline/syntax/a.ts', "import '../check-together.ts';"],
      ['service/src/answer/a.ts', "import '../../../src/plan/plan.ts';"],
      ['src/cli/a.ts', "import '../../service/src/verb/serve.ts';"],
      ['src/run/a.ts', "import '../cli/program.ts';"],
      ['service/src/server/b.ts', "import '../../../src/system.ts';"],
      ['src/effects.ts', "import './catalogue/index.ts';"],
      ['src/system.ts', "import './run/run.ts';"],
      ['src/land/b.ts', "import '../../test/fixtures/quiet-effects.ts';"],
      ['src/catalogue/datasets/a.ts', "import './b/c.ts';"],
    ];
    for (const pair of wrong) expect(throughWalls(planted(pair)), pair.join(' ')).toHaveLength(1);
    const right: [string, string][] = [
      ['src/cli/verbs/a.ts', "import '../../system.ts';\nimport '../../run/run.ts';"],
      ['src/catalogue/a.ts', "import '../fault.ts';\nimport '../effects.ts';"],
      ['src/catalogue/mainchain/block/a.ts', "import '../../entry.ts';\nimport './b.ts';"],
    ];
    expect(throughWalls(planted(...right))).toEqual([]);
    expect(throughWalls(tree)).toEqual([]);
  });

  it('use every door, and no door leads down the table', () => {
    expect(needlessDoors(planted(['src/catalogue/a.ts', ''])).length).toBeGreaterThan(50);
    expect(needlessDoors(tree)).toEqual([]);
    const down = new Map([
      ['plan', ['fetch']],
      ['fetch', ['plan', 'gone']],
    ]);
    expect(doorsDown(down)).toEqual(['plan -> fetch', 'fetch -> gone']);
    expect(doorsDown()).toEqual([]);
  });

  it('never lead from the pipeline to the service, and from there only to what it reads with', () => {
    const wrong: [string, string][] = [
      ['src/cli/verb-table.ts', "await import('../../service/src/verb/serve.ts');"],
      ['service/src/lake/a.ts', "import '../../../src/run/run.ts';"],
      ['service/src/server/a.ts', "import '../../../src/cli/verb-table.ts';"],
    ];
    for (const file of wrong) expect(besideService(planted(file))).toHaveLength(1);
    expect(besideService(tree)).toEqual([]);
  });

  it('form no cycles between folders', () => {
    const round = planted(
      ['src/land/a.ts', "import './rows/b.ts';"],
      ['src/land/rows/c.ts', "import type { D } from '../d.ts';"],
    );
    expect(cycleOfRooms(round)).toEqual(['land', 'land/rows', 'land']);
    expect(cycleOfRooms(tree)).toBeUndefined();
  });

  it('form no cycles', () => {
    const round = planted(
      ['src/plan/a.ts', "import { b } from './b.ts';"],
      ['src/plan/b.ts', "import { c } from './c.ts';"],
      ['src/plan/c.ts', "import type { B } from './b.ts';"],
    );
    expect(cycleIn(importsOf(round))).toEqual(['src/plan/b.ts', 'src/plan/c.ts', 'src/plan/b.ts']);
    expect(cycleIn(importsOf(tree))).toBeUndefined();
  });

  it('reach the disk, the network and other processes only where a stage may', () => {
    const wrong = planted(
      ['src/plan/a.ts', "import { readdir, readFile } from 'node:fs/promises';"],
      ['src/fetch/a.ts', "import 'node:fs';"],
      ['src/land/a.ts', "import { request } from 'undici';"],
      ['src/run/run.ts', "import { spawn } from 'node:child_process';"],
    );
    expect(touchesWorld(wrong)).toHaveLength(4);
    expect(touchesWorld(tree)).toEqual([]);
  });

  it('name packages that are declared, and every declared package is imported', () => {
    const imported = packagesIn(tree);
    expect(packagesIn(planted(['src/a.ts', "import '@a/b/c';\nimport 'd/e';"]))).toEqual(
      new Set(['@a/b', 'd']),
    );
    const missing = [...imported].filter((name) => !dependencies.includes(name));
    expect(missing.filter((name) => !BUNDLED.test(name)).sort()).toEqual(OPTIONAL);
    expect(dependencies.filter((name) => BUNDLED.test(name))).toEqual([]);
    const unused = dependencies.filter((name) => !imported.has(name));
    expect(unused).toEqual([]);
    // What is imported is reserved no longer.
  });

  it('load optional packages where they are used, and not before', () => {
    const early = /^import (?!type\b)[^;]*'(bullmq|ioredis|opendal)'/m;
    expect(matching(planted(['src/a.ts', "import { Queue } from 'bullmq';"]), early)).toHaveLength(
      1,
    );
    expect(matching(tree, early)).toEqual([]);
    const late = matching(tree, /import\('(bullmq|ioredis|opendal)'\)/);
    expect(late).toEqual([
      'src/land/places/opendal-store.ts',
      'src/run/queue/redis-queue.ts',
      'src/run/queue/redis.ts',
    ]);
  });

  it('name the parts of Node by their prefix', () => {
    expect(withoutPrefix(planted(['src/a.ts', "import 'fs/promises';"]))).toHaveLength(1);
    expect(withoutPrefix(tree)).toEqual([]);
  });
});

describe('the whole', () => {
  /** The ceilings are a table of ARCHITECTURE.md. */
  const ceilings = async (): Promise<Record<string, number>> => {
    const text = await readFile(`${REPOSITORY}ARCHITECTURE.md`, 'utf8');
    const [, section = ''] = text.split('## Budgets');
    const rows = [...section.matchAll(/^\| ([^|]+) \| ([0-9,]+) \|/gm)];
    return Object.fromEntries(
      rows.map(([, name = '', figure = '']) => [name.trim(), Number(figure.replaceAll(',', ''))]),
    );
  };

  const wordsOfPages = async (): Promise<number> => {
    const names = (await readdir(`${REPOSITORY}docs`)).map((name) => `docs/${name}`);
    const pages = [...ROOT_PAGES, ...names].filter((name) => name.endsWith('.md'));
    const texts = await Promise.all(pages.map((name) => readFile(REPOSITORY + name, 'utf8')));
    return texts.reduce((words, text) => words + wordsOfProse(text), 0);
  };

  const linesOfTests = async (): Promise<number> => {
    const roots = ['test', 'service/test'].map((root) => REPOSITORY + root);
    const files = roots.flatMap((root) => namesBelow(root).map((name) => `${root}/${name}`));
    const tests = files.filter((file) => file.endsWith('.ts'));
    const texts = await Promise.all(tests.map((file) => readFile(file, 'utf8')));
    return linesBelow(new Map(texts.map((text, i) => [tests[i] ?? '', text])), '');
  };

  it('stays within its budgets', async () => {
    const figures: Record<string, number> = {
      'folders at the top of `src`': topFolders(tree).length,
      'files of `src` that import `node:fs`': diskUsers(tree).length,
      'doors between rooms': doorsOf().length,
      'lines of `src`': linesBelow(tree, 'src/'),
      'lines of `service`': linesBelow(tree, 'service/src/'),
      'lines of tests': await linesOfTests(),
      'words of prose': await wordsOfPages(),
      'kinds of persisted files': (await fileKinds()).length,
      'written forms of coverage: entries of logs, checkpoints, the table `coverage`':
        coverageForms(tree).length,
    };
    const limits = await ceilings();
    expect(Object.keys(limits).sort()).toEqual(Object.keys(figures).sort());
    const over = Object.entries(figures).filter(([name, figure]) => figure > (limits[name] ?? 0));
    expect(over).toEqual([]);
  });

  it('is measured', () => {
    const sources = planted(
      ['src/plan/a.ts', "import 'node:fs';\nimport 'node:fs/promises';\n"],
      ['src/plan/deep/b.ts', '\n'],
      ['service/src/c.ts', "import 'node:fs';\n"],
    );
    expect(topFolders(sources)).toEqual(['plan']);
    expect(diskUsers(sources)).toEqual(['src/plan/a.ts']);
    expect(linesBelow(sources, 'src/')).toBe(3);
    expect(coverageForms(planted(['src/a.ts', 'const s = z.enum(STATUSES);']))).toHaveLength(1);
    expect(linesBelow(sources, 'service/')).toBe(1);
    expect(wordsOfProse('Two words | 12 |\n```sh\nnpm test\n```\nmore')).toBe(3);
  });
});

describe('files', () => {
  it('are at most 16 in a folder', () => {
    const files = Array.from({ length: 17 }, (_, i): [string, string] => [`src/plan/${i}.ts`, '']);
    expect(crowdedRooms(planted(...files))).toEqual(['plan: 17 files']);
    expect(crowdedRooms(planted(...files.slice(1)))).toEqual([]);
    expect(crowdedRooms(tree)).toEqual([]);
  });

  it('take clock, chance and the process as arguments', () => {
    const wrong = planted(
      ['src/plan/a.ts', 'const now = Date.now();'],
      ['src/land/b.ts', "const home = process.env['HOME'];"],
      ['src/fetch/c.ts', '// Date.now() is not asked here.'],
      ['src/land/lock/holder.ts', 'setTimeout(() => process.pid, 1);'],
      ['src/fetch/transport/transport.ts', 'setTimeout(() => abort(), 1);'],
    );
    expect(isAmbient(wrong)).toEqual(['src/plan/a.ts', 'src/land/b.ts', 'src/land/lock/holder.ts']);
    expect(isAmbient(tree)).toEqual([]);
  });

  it('have at most 300 lines of at most 100 columns', () => {
    const long = planted(['src/a.ts', 'x\n'.repeat(301)], ['src/b.ts', 'x'.repeat(101)]);
    expect(tooLong(long)).toEqual(['src/a.ts: 301 lines', 'src/b.ts:1']);
    expect(tooLong(planted(['src/a.ts', `${'x'.repeat(100)}\n`.repeat(300)]))).toEqual([]);
    expect(tooLong(tree)).toEqual([]);
  });

  it('have names that say what is in them', () => {
    const vague = planted(
      ['src/plan/utils.ts', ''],
      ['src/common/a.ts', ''],
      ['src/utility.ts', ''],
    );
    expect(vaguelyNamed(vague)).toEqual(['src/plan/utils.ts', 'src/common/a.ts']);
    expect(vaguelyNamed(tree)).toEqual([]);
  });

  it('have no default exports', () => {
    const pattern = /^\s*export\s+(default\b|\{[^}]*\bas\s+default\b)/m;
    const forms = ['export default 1;', 'export { a as default };', 'export const defaults = 1;'];
    expect(
      matching(planted(...forms.map((f, i): [string, string] => [`${i}`, f])), pattern),
    ).toEqual(['0', '1']);
    expect(matching(tree, pattern)).toEqual([]);
  });

  it('open connections to DuckDB in one place, which sets what all of them need', () => {
    const pattern = /\.connect\(\)/;
    const wrong = planted(['src/load/a.ts', 'const connection = await instance.connect();']);
    expect(matching(wrong, pattern)).toEqual(['src/load/a.ts']);
    expect(matching(tree, pattern)).toEqual(['src/land/storage/connection.ts']);
  });

  it('export no name that another file exports', () => {
    const wrong = planted(
      ['src/plan/a.ts', 'export const one = 1;\nexport async function two() {}'],
      ['src/land/b.ts', 'export interface two {}\nconst one = 2;'],
      ['src/catalogue/mainchain/c.ts', 'export const one = 3;'],
    );
    expect(sharedNames(wrong)).toEqual(['two: src/plan/a.ts, src/land/b.ts']);
    expect(sharedNames(tree)).toEqual([]);
  });

  it('resolve lists once: few look an endpoint up by its path', () => {
    const wrong = planted(
      ['src/plan/a.ts', "import { endpointAt } from 'x';\nconst a = endpointAt(path);"],
      ['src/land/b.ts', 'const all = paths.map(endpointAt);'],
      ['src/catalogue/c.ts', 'endpointAt(path);'],
    );
    expect(lookUps(wrong)).toBe(2);
    expect(lookUps(tree)).toBeLessThanOrEqual(8);
  });

  it('join the endpoint and the filters of a list in one place', () => {
    const pattern = /\}\?\$\{[^}]*\bvariant\b/;
    const wrong = planted(
      ['src/plan/a.ts', `const id = \`\${list.endpoint}?\${list.variant}\`;`],
      ['src/plan/b.ts', `const url = \`\${path}?\${query}\`;`],
    );
    expect(matching(wrong, pattern)).toEqual(['src/plan/a.ts']);
    expect(matching(tree, pattern)).toEqual(['src/coverage/list.ts']);
  });

  it('name no endpoint outside the catalogue', () => {
    const pattern = /['"`/](mainchain|zone)\/[a-z-]+\/[a-z-]+/;
    const wrong = planted(['src/fetch/a.ts', "if (path === 'mainchain/block/block-list') {}"]);
    expect(matching(wrong, pattern)).toEqual(['src/fetch/a.ts']);
    const files = matching(tree, pattern);
    expect(files.filter((file) => !file.startsWith('src/catalogue/'))).toEqual([]);
    expect(files).not.toEqual([]);
  });
});
