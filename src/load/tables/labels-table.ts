import type { LakeTable } from './lake-tables.ts';

/** `lake.labels`: the labels of addresses from the address files. */
export function labelsTable(labels: ReadonlyMap<string, string>): LakeTable {
  return {
    name: 'labels',
    comment: 'One row per address or token with a label in the files that runs took keys from',
    columns: [
      { name: 'address', type: 'VARCHAR', comment: 'Address or token contract, in lower case' },
      { name: 'label', type: 'VARCHAR', comment: 'Its label, as the file says' },
    ],
    rows: [...labels],
  };
}
