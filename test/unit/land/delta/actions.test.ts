import { expect, test } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import { checkTypes, metaDataLine } from '../../../../src/land/delta/actions.ts';
import { tableColumns } from '../../../../src/land/rows/columns.ts';

test('a table with other types of its columns is refused by name', () => {
  const columns = tableColumns('transactions');
  const older = columns.map((column) =>
    column.name === 'gas_limit' ? { ...column, type: 'BIGINT' as const } : column,
  );
  const metaOf = (written: typeof columns) => {
    const { metaData } = metaDataLine('id-1', 'transactions', '', written, 0, 'lake/c/t') as {
      metaData: Parameters<typeof checkTypes>[0];
    };
    return metaData;
  };
  expect(() => checkTypes(metaOf(columns), columns, '/lake')).not.toThrow();
  expect(() => checkTypes(undefined, columns, '/lake')).not.toThrow();
  const refused = () => checkTypes(metaOf(older), columns, '/lake');
  expect(refused).toThrow(Fault);
  expect(refused).toThrow('The column gas_limit has another type');
});
