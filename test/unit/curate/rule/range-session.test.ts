import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test, vi } from 'vitest';
import { RangeSession } from '../../../../src/curate/rule/range-session.ts';

test('a session that cannot begin closes its database', async () => {
  const close = vi.spyOn(DuckDBInstance.prototype, 'closeSync');
  const opening = RangeSession.open({
    axis: 'primary',
    raw: [],
    rule: { macros: ['CREATE MACRO'], queries: new Map(), evidence: [] },
    spilledTo: join(tmpdir(), 'windrow-spilled'),
    memoryBytes: 2 ** 28,
  });
  await expect(opening).rejects.toThrow('syntax error');
  expect(close).toHaveBeenCalledOnce();
});
