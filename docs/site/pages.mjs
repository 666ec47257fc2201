import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The pages of the site: the Markdown files of the repository, grouped for the side bar. */

export const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** Groups of pages by the names of their files in docs/; files without a group come last. */
const GROUPS = [
  [
    'Start',
    [
      'README',
      'commands',
      'pipelines',
      'operating',
      'scaling',
      'alerts',
      'logs-and-metrics',
      'sample-outputs',
    ],
  ],
  [
    'For analysts',
    ['warehouse', 'data-dictionary', 'familiar-names', 'pending', 'exports', 'notebooks', 'dbt'],
  ],
  [
    'Trust',
    [
      'guarantees',
      'trust-model',
      'reconcile',
      'certificate',
      'damage',
      'maintenance',
      'run-report',
      'benchmarks',
    ],
  ],
  [
    'The service',
    [
      'service',
      'service-codes',
      'authentication',
      'faults',
      'contract-verification',
      'interface-contradictions',
    ],
  ],
  ['The project', ['ARCHITECTURE', 'CONTRIBUTING', 'SECURITY', 'CHANGELOG']],
];

/** Files in the root of the repository. */
const ROOT_FILES = ['README', 'ARCHITECTURE', 'CONTRIBUTING', 'SECURITY', 'CHANGELOG'];

/** Groups with `{ name, title, path, text }` of each page, whose links fit the site. */
export async function sitePages() {
  const listed = GROUPS.flatMap(([, names]) => names);
  const files = (await readdir(`${REPOSITORY}docs`)).filter((file) => file.endsWith('.md'));
  const others = files.map((file) => file.slice(0, -3)).filter((name) => !listed.includes(name));
  const groups = others.length === 0 ? GROUPS : [...GROUPS, ['More', others.sort()]];
  return Promise.all(
    groups.map(async ([title, names]) => ({ title, pages: await Promise.all(names.map(pageOf)) })),
  );
}

async function pageOf(name) {
  const folder = ROOT_FILES.includes(name) ? REPOSITORY : `${REPOSITORY}docs`;
  const text = await readFile(join(folder, `${name}.md`), 'utf8');
  // Links to files that are no pages lose their targets below, so these must exist.
  for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
    await access(join(folder, target)).catch(() => {
      throw new Error(`${name}.md has a link to ${target}, which does not exist.`);
    });
  }
  const [, title = name] = /^# (.*)$/m.exec(text) ?? [];
  return {
    name,
    title: name === 'README' ? 'Overview' : title.replaceAll('`', ''),
    text: onSite(text),
  };
}

/**
 * All pages of the site are in one folder, so links lose their folders. Files that are no pages are
 * named without a link, and braces are text, where VitePress would compute them.
 */
function onSite(text) {
  let isCode = false;
  const lines = text.split('\n').map((line) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    if (isCode || /^\s*```/.test(line)) return line;
    return line
      .replace(/\]\((?:\.\.\/)?(?:docs\/)?([\w-]+\.md)(#[^)]*)?\)/g, '](./$1$2)')
      .replace(/\[([^\]]+)\]\((?!https?:|#|\.\/[\w-]+\.md)[^)]*\)/g, '$1')
      .replaceAll('{{', '&#123;&#123;');
  });
  return lines.join('\n');
}
