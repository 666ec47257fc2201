import { column } from '../../catalogue/entry.ts';
import type { LakeTable } from '../../curate/rule/lake-tables.ts';
import type { Lake } from '../../land/lake.ts';
import { isWaiting } from '../../land/quarantine/quarantine-record.ts';

/** `lake.waiting` without rows. */
export const WAITING_TABLE: LakeTable = {
  name: 'waiting',
  comment: 'One row per record in quarantine whose walk coverage still names',
  columns: [column('id', 'VARCHAR', 'Id of the record, from lake.quarantine')],
  rows: [],
};

/** `lake.waiting`: the records in quarantine whose slices the next run fetches again. */
export async function waitingTable(lake: Lake): Promise<LakeTable> {
  const rows: [string][] = [];
  for (const quarantine of lake.quarantines()) {
    for (const record of await quarantine.records()) {
      const { coverage } = await lake.table(record.dataset).snapshot();
      if (isWaiting(record, coverage)) rows.push([record.id]);
    }
  }
  return { ...WAITING_TABLE, rows };
}
