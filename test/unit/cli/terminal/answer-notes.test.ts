import { expect, test } from 'vitest';
import { answerNotes } from '../../../../src/cli/terminal/answer-notes.ts';

test('notes that cannot be found do not take the answer away', async () => {
  const sql = "SELECT complete_until('0x00000000000000000000000000000000000000aa')";
  const answer = { columns: [], rows: [], truncated: false };
  expect(
    await answerNotes(sql, answer, {
      warehouse: '/nonexistent/warehouse.duckdb',
      root: '/nonexistent',
    }),
  ).toEqual([]);
});
