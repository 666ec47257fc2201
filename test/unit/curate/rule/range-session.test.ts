import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { expect, test, vi } from 'vitest';
import { RangeSession } from '../../../../src/curate/rule/range-session.ts';

test('a session that cannot be opened closes its database', async () => {
  const close = vi.spyOn(DuckDBInstance.prototype, 'closeSync');
  vi.spyOn(DuckDBConnection.prototype, 'run').mockRejectedValue(new Error('no memory'));
  const spilledTo = join(tmpdir(), 'windrow-spilled');
  await expect(RangeSession.open({ spilledTo, memoryBytes: 2 ** 28 })).rejects.toThrow('no memory');
  expect(close).toHaveBeenCalledOnce();
});
