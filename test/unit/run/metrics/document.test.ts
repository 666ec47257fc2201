import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { FAMILIES } from '../../../../src/run/metrics/families.ts';

const PAGE = fileURLToPath(new URL('../../../../docs/logs-and-metrics.md', import.meta.url));

it('docs/logs-and-metrics.md lists every metric with its labels and its meaning', async () => {
  const lines = (await readFile(PAGE, 'utf8')).split('\n');
  const rows = FAMILIES.map(({ name, labels, help }) => {
    return `| \`${name}\` | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`;
  });
  expect(lines.filter((line) => line.startsWith('| `windrow_'))).toEqual(rows);
});
