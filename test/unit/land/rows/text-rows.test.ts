import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { endpointAt } from '../../../../src/catalogue/index.ts';
import { parsedBody } from '../../../../src/catalogue/reply-text.ts';
import { type List, listOf } from '../../../../src/coverage/list.ts';
import { tableColumns } from '../../../../src/land/rows/columns.ts';
import { decode, type Row } from '../../../../src/land/rows/decode.ts';
import { landingRows } from '../../../../src/land/rows/text-rows.ts';
import { type Claim, recordCount } from '../../../../src/land/rule/claim.ts';
import { ParquetWriter } from '../../../../src/land/storage/parquet.ts';
import { listed } from '../../../fixtures/listed.ts';
import { freshFolder, whenOver } from '../../../fixtures/when-over.ts';
import { Chance } from '../../../model/chance.ts';
import { replyText, usualRecords } from '../../../model/usual-records.ts';

const ENDPOINT = endpointAt('mainchain/address/token-transaction-list');
const [FIRST, SECOND] = ['token_20', 'token_721'].map((protocolType) => {
  return listOf(ENDPOINT, { protocolType });
}) as [List, List];

let root: string;
let writer: ParquetWriter;

beforeEach(async () => {
  root = await freshFolder();
  writer = await ParquetWriter.open(join(root, 'spilled'));
  whenOver(() => writer.close());
});

function rowsOf(list: List): readonly Row[] {
  const chance = new Chance(1);
  const body = replyText(list, usualRecords(list, 40, chance), chance).padEnd(5000, ' ');
  const { data } = parsedBody(ENDPOINT, body) as { data: Record<string, never[]>[] };
  const records = Object.values(data[0] ?? {}).find(Array.isArray) ?? [];
  return decode(list, listed(ENDPOINT, records)).rows;
}

it('the file of one list is written without decoding the texts of another', async () => {
  // Walks of a commit take turns, as their pages do.
  const walks = Array.from({ length: 100 }, (_, i) => {
    const list = i % 2 === 0 ? FIRST : SECOND;
    const request = {
      list,
      keys: [''],
      interval: { from: 0, to: 9 },
      reason: '',
    };
    const claim: Claim = { ...request, status: 'complete', head: 9, readAtMs: i, generation: 0 };
    return { claim, records: rowsOf(list), slice: `slice ${i}` };
  });
  const isOfSecond = ({ claim }: { claim: Claim }): boolean => claim.list === SECOND;
  const broken = walks.filter(isOfSecond).flatMap(({ records }) => records);
  for (const record of broken) Object.assign(record, { text: 'no JSON' });
  expect(broken.length).toBeGreaterThan(0);
  const rows = { added: [], texts: landingRows(walks, walks, 'run'), kept: [] };
  const taken = await writer.take(tableColumns('token_transfers'), rows);
  expect(taken.count).toBe(recordCount(walks));
  const written = await taken.write(join(root, '1.parquet'), FIRST, ['block_number']);
  expect(written).toBe(recordCount(walks) - broken.length);
  const other = taken.write(join(root, '2.parquet'), SECOND, ['block_number']);
  await expect(other).rejects.toThrow('Malformed JSON');
});
