import { readdir } from 'node:fs/promises';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The catalogue reads its folders when it is loaded; in a bundle they are lists of imports. */
export const entriesOfCatalogue = {
  name: 'entries of the catalogue',
  setup({ onLoad }) {
    onLoad({ filter: /src[/\\]catalogue[/\\]entry-files\.ts$/ }, async () => {
      const folder = fileURLToPath(new URL('../src/catalogue', import.meta.url));
      const files = (await readdir(folder, { recursive: true }))
        .map((file) => file.split(sep).join('/'))
        .sort();
      const modules = files.filter((file) =>
        /^(datasets|mainchain|witness|rpc\/methods)\/.*\.ts$/.test(file),
      );
      const imports = modules.map((file, i) => `import * as file${i} from './${file}';`);
      const list = modules.map((file, i) => `['${file}', file${i}]`).join(', ');
      const code = `export async function entriesUnder(folder) {
        const inside = [${list}].filter(([file]) => file.startsWith(folder + '/'));
        return inside.flatMap(([, exported]) => Object.values(exported));
      }`;
      return { contents: [...imports, code].join('\n'), resolveDir: folder };
    });
  },
};
