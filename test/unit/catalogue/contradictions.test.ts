import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/catalogue/index.ts';
import { contradictionsDocument } from '../../contract/contradictions-document.ts';

const folder = fileURLToPath(new URL('../../../docs/', import.meta.url));
const file = `${folder}interface-contradictions.md`;

describe('the page of contradictions', () => {
  it('matches the catalogue (UPDATE=1 regenerates it)', () => {
    if (process.env['UPDATE'] === '1') {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, contradictionsDocument(endpoints));
    }
    expect(readFileSync(file, 'utf8')).toBe(contradictionsDocument(endpoints));
  });

  it('has every contradiction once, with its operations', () => {
    const lines = readFileSync(file, 'utf8').split('\n');
    const texts = new Set(endpoints.flatMap(({ contradictions = [] }) => contradictions));
    expect(lines.filter((line) => line.startsWith('- ')).sort()).toEqual(
      [...texts].map((text) => `- ${text}`).sort(),
    );
    for (const { path, contradictions = [] } of endpoints) {
      const named = lines.filter((line) => line.includes(`${path}\``));
      expect(named.length > 0, path).toBe(contradictions.length > 0);
    }
  });

  it('states a decision after the colon of every contradiction', () => {
    for (const { path, contradictions = [] } of endpoints) {
      expect(new Set(contradictions).size, path).toBe(contradictions.length);
      for (const text of contradictions) expect(text, path).toMatch(/^[A-Za-z].+: .+\.$/);
    }
  });
});
