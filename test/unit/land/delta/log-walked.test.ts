import { mkdir, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { commitInfoLine, metaDataLine, protocolLine } from '../../../../src/land/delta/actions.ts';
import { ledger } from '../../../../src/land/delta/ledger.ts';
import { DeltaLog } from '../../../../src/land/delta/log.ts';
import { tableColumns } from '../../../../src/land/rows/columns.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

const NOW_MS = 1_700_000_000_000;
const START = [
  protocolLine(),
  metaDataLine('id-1', 'blocks', 'Blocks', tableColumns('blocks'), NOW_MS),
];

let folder = '';
let log: DeltaLog;

beforeEach(async () => {
  folder = await freshFolder();
  log = new DeltaLog(localDisk, folder, 'block_number');
  await mkdir(log.folder);
});

async function entry(version: number, ...lines: unknown[]): Promise<void> {
  const texts = lines.map((line) => JSON.stringify(line));
  await writeFile(log.pathOf(version), `${texts.join('\n')}\n`);
}

describe('what walks took', () => {
  const E14 = 'mainchain/block/block-fills';
  const E10 = 'mainchain/block/block-list';
  const took = (endpoint: string, variant: string, slices: number, requests: number) => ({
    endpoint,
    variant,
    slices,
    requests,
    keyBlocks: 10 * slices,
  });
  const walked = (...lists: ReturnType<typeof took>[]): unknown =>
    commitInfoLine('WINDROW COMMIT', ledger('run-1', { walked: lists }), NOW_MS);

  it('is added up over all commits, by endpoint and variant', async () => {
    await entry(0, ...START, walked(took(E14, '', 2, 3), took(E10, '', 1, 7)));
    await entry(1, walked(took(E14, '', 1, 1), took(E14, 'a=b', 4, 4)));
    const { walked: all } = await log.refresh();
    expect(Object.fromEntries(all)).toEqual({
      [`${E14}?`]: { slices: 3, requests: 4, keyBlocks: 30 },
      [`${E10}?`]: { slices: 1, requests: 7, keyBlocks: 10 },
      [`${E14}?a=b`]: { slices: 4, requests: 4, keyBlocks: 40 },
    });
  });
});
