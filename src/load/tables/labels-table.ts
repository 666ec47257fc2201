import type { LakeTable } from '../../curate/rule/lake-tables.ts';

/** `lake.labels`: the labels of addresses from the address files. */
export function labelsTable(labels: ReadonlyMap<string, string>): LakeTable {
  return {
    name: 'labels',
    comment: 'One row per address or token with a label in the address files of the runs',
    columns: [
      { name: 'address', type: 'VARCHAR', comment: 'Address or token contract, in lower case' },
      { name: 'label', type: 'VARCHAR', comment: 'Its label in the file' },
    ],
    rows: [...labels],
  };
}
