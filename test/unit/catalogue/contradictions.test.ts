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

  it('has one section for every operation, with its summary and all its contradictions', () => {
    const sections = readFileSync(file, 'utf8').split('\n## ').slice(1);
    expect(sections).toHaveLength(endpoints.length);
    endpoints.forEach(({ path, summary, contradictions = [] }, i) => {
      const section = sections[i] ?? '';
      expect(section.split('\n')[0]).toContain(`${path}\``);
      expect(section).toContain(summary);
      expect(section.split('\n').filter((line) => line.startsWith('- '))).toEqual(
        contradictions.map((each) => `- ${each}`),
      );
    });
  });

  it('states a decision after the colon of every contradiction', () => {
    for (const { path, contradictions = [] } of endpoints) {
      expect(new Set(contradictions).size, path).toBe(contradictions.length);
      for (const each of contradictions) expect(each, path).toMatch(/^[A-Za-z].+: .+\.$/);
    }
  });
});
