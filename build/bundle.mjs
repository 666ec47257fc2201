import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { entriesOfCatalogue } from './entries-of-catalogue.mjs';

/**
 * Bundles `src`, `service/src` and their packages: loading 430 modules one by one takes half a
 * second, which is more than the work of a short verb. The binding of DuckDB stays outside, because
 * it is a native library, the one of signatures, which reads a file beside it, and optional packages,
 * which few runs need.
 */

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** The roots of the sources, and the folder of each in the bundle. */
const ROOTS = [
  ['src', ''],
  ['service/src', 'service/'],
];
const OUTSIDE = ['@duckdb/node-bindings', 'bullmq', 'ioredis', 'opendal', 'tiny-secp256k1'];

/** The program, the last step of the build, and modules that tests of the built package load. */
const ENTRIES = [
  'src/index.ts',
  'src/load/store-empty-warehouse.ts',
  'src/load/query/open-warehouse.ts',
  'src/export/notebook/notebook.ts',
  'src/export/report/page.ts',
  'service/src/simulated/chain.ts',
];
/** The program has a place that scripts and images of users name. */
const MAIN = { 'cli/main': join(ROOT, 'service/src/main.ts') };
/** Programs of threads and of child processes are found by their names. */
const PROGRAM = /(^|-)worker\.ts$/;

/** Writes the bundle into a folder. */
export async function bundle(outdir) {
  const files = await Promise.all(ROOTS.map(([root]) => filesBelow(root)));
  const programs = files.flat().filter((file) => PROGRAM.test(file.split('/').at(-1)));
  const entries = [...ENTRIES, ...programs].map((file) => [
    placeOf(file).replace(/\.js$/, ''),
    join(ROOT, file),
  ]);
  const { metafile } = await build({
    entryPoints: { ...MAIN, ...Object.fromEntries(entries) },
    outdir,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: OUTSIDE,
    metafile: true,
    logLevel: 'warning',
    plugins: [entriesOfCatalogue, placesOfModules],
    // Packages in the older module format load others of that format, and modules of Node.
    banner: {
      js: "import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url);",
    },
  });
  await writeFile(join(outdir, 'THIRD-PARTY-LICENSES.txt'), await licensesOf(metafile));
}

async function filesBelow(root) {
  const files = await readdir(join(ROOT, root), { recursive: true });
  return files.map((file) => `${root}/${slashed(file)}`);
}

/** The place in `dist` of a source file; undefined for other files. */
function placeOf(file) {
  const root = ROOTS.find(([root]) => file.startsWith(`${root}/`) && file.endsWith('.ts'));
  return root && root[1] + file.slice(root[0].length + 1).replace(/\.ts$/, '.js');
}

/** A module finds other files from its own place, which in a bundle is that of `dist`. */
const placesOfModules = {
  name: 'places of modules',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^windrow:place$/ }, ({ path }) => ({ path, namespace: 'windrow' }));
    onLoad({ filter: /.*/, namespace: 'windrow' }, () => ({
      contents: `import { existsSync } from 'node:fs';
        let root = new URL('./', import.meta.url);
        while (!existsSync(new URL('package.json', root))) root = new URL('../', root);
        export const placeOf = (path) => new URL('dist/' + path, root).href;`,
    }));
    onLoad({ filter: /src[/\\].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const place = placeOf(slashed(relative(ROOT, path)));
      if (place === undefined || !text.includes('import.meta.url')) return undefined;
      const contents = text.replaceAll('import.meta.url', `placeOf('${place}')`);
      return { contents: `import { placeOf } from 'windrow:place';\n${contents}`, loader: 'ts' };
    });
  },
};

/** The licenses of all packages in the bundle. */
async function licensesOf({ inputs }) {
  const folders = Object.keys(inputs).map((file) => {
    return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(slashed(file))?.[0];
  });
  const texts = [];
  for (const folder of [...new Set(folders)].filter((name) => name !== undefined).sort()) {
    const at = join(process.cwd(), folder);
    const about = JSON.parse(await readFile(join(at, 'package.json'), 'utf8'));
    const { name, version } = about;
    // Old packages name a list of licenses.
    const license = about.license ?? about.licenses?.map(({ type }) => type).join(', ');
    const file = (await readdir(at)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? license : await readFile(join(at, file), 'utf8');
    if (text === undefined) throw new Error(`${name} ${version} names no license`);
    texts.push(`${name} ${version}\n\n${text.trim()}\n`);
  }
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

function slashed(path) {
  return path.replaceAll(sep, '/');
}
