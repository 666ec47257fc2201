import { expect, test } from 'vitest';
import { FACTS } from './families/facts.ts';
import { WITHOUT_BURSTS } from './family.ts';
import { testFamilies } from './family-tests.ts';
import { wrongTimes } from './faults/facts.ts';
import { play } from './play.ts';

testFamilies('services whose records contradict each other', FACTS);

const seconds = { seed: 1, fault: wrongTimes('seconds', []), size: WITHOUT_BURSTS };

test('a service that gives seconds is refused at once, and the setting is named', async () => {
  const { exit, requests, messages } = await play(seconds);
  expect([exit, requests]).toEqual([1, 1]);
  expect(messages.join()).toContain('The service gives times in seconds');
});

test('with the setting, all of its rows have the right times', async () => {
  const { exit, wrong, complete } = await play({ ...seconds, settings: { timeUnit: 's' } });
  expect([exit, wrong]).toEqual([0, 0]);
  expect(complete).toBeGreaterThan(100);
});

test('a list whose times are late ends the run with exit code 3', async () => {
  const fault = wrongTimes('a second late', ['mainchain/address/internal-transaction-list-multi']);
  const late = await play({ ...seconds, fault });
  expect([late.exit, late.wrong]).toEqual([3, 0]);
  expect(late.messages.join()).toContain('in another record');
});
