import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The number of links within a built site, and those whose page, file or anchor is missing. */
export async function brokenLinks(folder, base) {
  const files = (await readdir(folder, { recursive: true })).map((file) => `/${file}`);
  const pages = new Map();
  for (const file of files.filter((name) => name.endsWith('.html'))) {
    pages.set(file, await readFile(join(folder, file), 'utf8'));
  }
  let links = 0;
  const broken = [];
  for (const [page, html] of pages) {
    for (const [, target] of html.matchAll(/<(?:a|img)\b[^>]*?\s(?:href|src)="([^"]+)"/g)) {
      if (/^(https?|mailto|data):/.test(target)) continue;
      links += 1;
      if (!leads(target.replaceAll('&amp;', '&'), page)) broken.push(`${page} -> ${target}`);
    }
  }
  return { links, broken: [...new Set(broken)] };

  function leads(target, page) {
    const { pathname, hash } = new URL(target, `http://site${base}${page.slice(1)}`);
    if (!pathname.startsWith(base)) return false;
    const path = `/${decodeURIComponent(pathname.slice(base.length))}`;
    const file = [path, `${path}.html`, `${path}index.html`].find((name) => files.includes(name));
    if (file === undefined) return false;
    if (hash === '') return true;
    return pages.get(file)?.includes(`id="${decodeURIComponent(hash.slice(1))}"`) === true;
  }
}
