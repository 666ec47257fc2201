import { expect, test } from 'vitest';
import { readToTheEnd } from '../../../../src/fetch/walk/read-to-the-end.ts';
import { Lister } from '../../../fixtures/walk-lister.ts';
import { atHeight, settingsOf, sliceOf } from '../../../fixtures/walk-setup.ts';

test('another page than the requested one ends a list only when it comes twice', async () => {
  const slice = sliceOf({ interval: { from: 150, to: 150 } });
  let others = 0;
  const lister = new Lister(atHeight(150, 25), {
    tamper: (reply, { page }) => {
      if (page !== 2) return reply;
      others += 1;
      return others > 1 ? reply : { ...reply, page: 9, records: [] };
    },
  });
  const reading = { caller: lister, endpoint: slice.list.entry, slice, settings: settingsOf() };
  expect(await readToTheEnd({ ...reading, limit: 10 })).toMatchObject({
    kind: 'pages',
    listed: 25,
  });
});
