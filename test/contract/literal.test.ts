import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../src/catalogue/index.ts';
import { tablesSource } from '../../src/service/records-source.ts';
import type { Literal } from './asking.ts';
import { askTarget, serviceOver } from './asking.ts';

/**
 * Client and service read one catalogue, so a wrong entry would pass every round trip between them.
 * These exchanges were typed from the text of the interface, and know nothing of the catalogue.
 */

const folder = new URL('./literals/', import.meta.url);
const literals: readonly Literal[] = await Promise.all(
  readdirSync(folder).map(
    async (file) => ((await import(new URL(file, folder).href)) as { literal: Literal }).literal,
  ),
);

describe('the literal exchanges', () => {
  it('cover every endpoint of the catalogue, and no other', () => {
    const covered = new Set(literals.map((literal) => literal.endpoint));
    expect([...covered].sort()).toEqual(endpoints.map((entry) => entry.path).sort());
    expect(covered.size).toBeGreaterThanOrEqual(5);
  });

  it.each(literals)('$endpoint answers to the letter', async ({ records, target, response }) => {
    const service = serviceOver(tablesSource(new Map(Object.entries(records))));
    const answer = await askTarget(service, target);
    expect(answer.text).toBe(JSON.stringify(response));
    expect(answer.status).toBe(200);
  });
});
