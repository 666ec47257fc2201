import { expect, it } from 'vitest';
import type { Dataset, Endpoint } from '../../src/catalogue/entry.ts';
import { datasets, endpoints } from '../../src/catalogue/index.ts';
import { conformanceFindings } from './conformance.ts';
import { exceptions } from './conformance-exceptions.ts';
import { mutantsOf } from './conformance-mutants.ts';
import { parseInterface } from './interface-document.ts';
import { withDocument } from './interface-file.ts';

/**
 * Goal: the comparison with the document would notice. Each mutant is the catalogue with one
 * mistake; a comparison that finds nothing in it would not find that mistake in the catalogue.
 */

withDocument('a mistake in the catalogue', (text) => {
  const document = parseInterface(text);
  const names = datasets.map(({ name }) => name);
  const mutants = endpoints.map((entry) => mutantsOf(entry, names));
  const tried = mutants.flat().length;
  process.stdout.write(`${tried} mutants of ${endpoints.length} entries are tried.\n`);

  const isFound = (entries: readonly Endpoint[], tables: readonly Dataset[] = datasets): boolean =>
    conformanceFindings(document, entries, tables, exceptions).length > 0;

  it('is none of the catalogue as it is', () => {
    expect(isFound(endpoints)).toBe(false);
    expect(tried).toBeGreaterThan(3_000);
  });

  it.each(endpoints.map((entry, i) => ({ path: entry.path, at: i })))(
    'is found in $path, whatever it is',
    ({ at }) => {
      const survivors = (mutants[at] ?? [])
        .filter(({ entry }) => !isFound(endpoints.map((each, i) => (i === at ? entry : each))))
        .map(({ what }) => what);
      expect(survivors).toEqual([]);
      expect(mutants[at]?.length).toBeGreaterThan(40);
    },
  );

  it('is found when an entry is missing or stands twice', () => {
    for (const entry of endpoints) {
      expect(isFound(endpoints.filter((each) => each !== entry)), entry.path).toBe(true);
      expect(isFound([...endpoints, entry]), entry.path).toBe(true);
    }
  });

  it('is found in a dataset', () => {
    for (const dataset of datasets) {
      const others = datasets.filter((each) => each !== dataset);
      const axis = dataset.axis === 'primary' ? 'zone' : 'primary';
      expect(isFound(endpoints, others), dataset.name).toBe(true);
      expect(isFound(endpoints, [...others, { ...dataset, axis }]), dataset.name).toBe(true);
      const filled = endpoints.find((entry) => entry.dataset === dataset.name)?.fields ?? [];
      for (const { column } of filled.filter((field) => field.column !== dataset.heightColumn)) {
        const moved = { ...dataset, heightColumn: column };
        expect(isFound(endpoints, [...others, moved]), `${dataset.name} ${column}`).toBe(true);
      }
    }
  });
});
