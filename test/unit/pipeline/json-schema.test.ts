import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { endpoints } from '../../../src/catalogue/index.ts';
import { pipelineSchema } from '../../../src/pipeline/pipeline.ts';

const folder = fileURLToPath(new URL('../../../pipelines/', import.meta.url));
const file = `${folder}pipeline.schema.json`;

/**
 * The JSON Schema of a pipeline file, for completion and checks in editors (draft 7, which most of
 * them support). It has the same checks of single fields as the parser, with the datasets and
 * endpoints of the catalogue. Only the parser checks fields against each other.
 */
const { $schema, ...rest } = z.toJSONSchema(pipelineSchema, { io: 'input', target: 'draft-7' });
const document = { $schema, title: 'A windrow pipeline', ...rest };
const text = `${JSON.stringify(document, null, 2)}\n`;
const schema = z.fromJSONSchema(document as z.core.JSONSchema.JSONSchema);

function accepts(pipeline: string): boolean {
  return schema.safeParse(parse(pipeline)).success;
}

describe('the JSON Schema of pipelines', () => {
  it('matches the catalogue (UPDATE=1 regenerates it)', () => {
    if (process.env['UPDATE'] === '1') writeFileSync(file, text);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('knows every endpoint of the catalogue that lists something', () => {
    const known = endpoints.filter(({ path }) => text.includes(`"const": "${path}"`));
    expect(known).toHaveLength(20);
    expect(known).toEqual(endpoints.filter(({ list }) => list !== 'submission'));
  });

  it('accepts every shipped pipeline', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
    expect(files).toContain('zone-activity.yaml');
    for (const name of files) expect(accepts(readFileSync(folder + name, 'utf8')), name).toBe(true);
  });

  it('refuses mistakes that an editor should underline', () => {
    const shipped = readFileSync(`${folder}address-activity.yaml`, 'utf8');
    for (const [from, to] of [
      ['windowBlocks:', 'windowBlock:'],
      ['windowBlocks: 10000', 'windowBlocks: 10001'],
      ['token_721', 'token_722'],
      ['  token_transfers:', '  tokens:'],
      ['address/token-transaction-list', 'address/token-list'],
      ['{ file: addresses.example.csv }', `{ list: [0x${'1'.repeat(40)}] }`],
      ['{ file: addresses.example.csv }', '{ file: a.csv, from: [transactions] }'],
      ['{ file: addresses.example.csv }', '{ without: tx_status }'],
      ['address/normal-transaction-list]', 'address/token-transaction-list]'],
      ['zone/address/transaction-list', 'zone/block/block-list'],
    ] as const) {
      expect(shipped).toContain(from);
      expect(accepts(shipped.replace(from, to)), to).toBe(false);
    }
  });
});
