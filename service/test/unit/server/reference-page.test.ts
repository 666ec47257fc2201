import { parseHTML } from 'linkedom';
import { expect, it } from 'vitest';
import { quietEffects } from '../../../../test/fixtures/quiet-effects.ts';
import { tablesSource } from '../../../src/memory/records-source.ts';
import { REFERENCE_FILES } from '../../../src/server/reference-page.ts';
import { createService } from '../../../src/server/service.ts';

/** Goal: the API reference runs and loads files of the service alone. */

const options = { source: tablesSource(new Map()), effects: quietEffects() };
const ask = (
  target: string,
  more: object = { readReference: async (name: string) => `/*${name}*/` },
) =>
  createService({ ...options, ...more }).answer({ method: 'GET', target, headers: {}, body: '' });

it('has no script and no style of its own, and loads those of the service', async () => {
  const { status, headers, body } = await ask('/docs');
  expect(status).toBe(200);
  const policy = headers['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).not.toContain('unsafe');
  expect(body).not.toMatch(/<style|\sstyle="|\son\w+="|https?:\/\//);
  const { document } = parseHTML(body);
  const loaded = [...document.querySelectorAll('script, link[rel=stylesheet]')].map(
    (element) => element.getAttribute('src') ?? element.getAttribute('href') ?? '',
  );
  expect(loaded.sort()).toEqual(
    Object.keys(REFERENCE_FILES)
      .map((name) => `/docs/${name}`)
      .sort(),
  );
  expect([...document.querySelectorAll('script')].map((script) => script.textContent)).toEqual([
    '',
    '',
  ]);
});

it.each(Object.entries(REFERENCE_FILES))('serves %s as %s', async (name, type) => {
  const { status, headers, body } = await ask(`/docs/${name}`);
  expect([status, headers['content-type'], body]).toEqual([200, type, `/*${name}*/`]);
});

it('is the same page with a slash at the end', async () => {
  const { status, body } = await ask('/docs/');
  expect([status, body]).toEqual([200, (await ask('/docs')).body]);
});

it('is absent where its files are, and has no other files', async () => {
  expect((await ask('/docs', {})).status).toBe(404);
  expect((await ask('/docs/package.json')).status).toBe(404);
  expect((await ask('/docs/../package.json')).status).toBe(404);
});
