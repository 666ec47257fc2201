import type { LakeTable } from '../../curate/rule/lake-tables.ts';
import type { Names } from '../../land/names.ts';

/** `lake.tokens` and `lake.methods`: names from the CSV files of pipelines. */
export function namesTables({ tokens, methods }: Names): LakeTable[] {
  return [
    {
      name: 'tokens',
      comment: 'One row per token in the CSV files that pipelines name as names.tokens',
      columns: [
        { name: 'token_address', type: 'VARCHAR', comment: 'Contract, in lower case' },
        { name: 'symbol', type: 'VARCHAR', comment: 'Its symbol in the file' },
        { name: 'decimals', type: 'BIGINT', comment: 'Its decimal places' },
        {
          name: 'amounts',
          type: 'VARCHAR',
          comment: 'whole: the service states amounts in whole tokens; raw: in the smallest unit',
        },
      ],
      rows: [...tokens].map(([address, { symbol, decimals, amounts }]) => {
        return [address, symbol || null, decimals === null ? null : BigInt(decimals), amounts];
      }),
    },
    {
      name: 'methods',
      comment: 'One row per method in the CSV files that pipelines name as names.methods',
      columns: [
        { name: 'method_id', type: 'VARCHAR', comment: 'First four bytes of a call, as 0x...' },
        { name: 'name', type: 'VARCHAR', comment: 'Its name in the file' },
      ],
      rows: [...methods],
    },
  ];
}
