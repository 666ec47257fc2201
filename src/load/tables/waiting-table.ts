import type { LakeTable } from '../../curate/rule/lake-tables.ts';
import type { Lake } from '../../land/lake.ts';
import { isWaiting } from '../../land/replay/replay.ts';

/** `lake.waiting` without rows. */
export const WAITING_TABLE: LakeTable = {
  name: 'waiting',
  comment: 'One row per record in quarantine whose walk the lake still holds',
  columns: [{ name: 'id', type: 'VARCHAR', comment: 'Id of the record, from lake.quarantine' }],
  rows: [],
};

/** `lake.waiting`: the records in quarantine that a replay could land. */
export async function waitingTable(lake: Lake): Promise<LakeTable> {
  const rows: [string][] = [];
  for (const quarantine of lake.quarantines()) {
    for (const record of await quarantine.records()) {
      const snapshot = await lake.table(record.dataset).snapshot();
      if (isWaiting(record, snapshot)) rows.push([record.id]);
    }
  }
  return { ...WAITING_TABLE, rows };
}
