import { expect, it } from 'vitest';
import { type NodeReports, withoutSecrets } from '../../../src/cli/log/node-reports.ts';

/** Goal: no diagnostic report of Node holds environment variables. */

const OFF = { reportOnFatalError: false, reportOnSignal: false, reportOnUncaughtException: false };

it('leaves the environment out where Node can', () => {
  const reports: NodeReports = { ...OFF, reportOnSignal: true, excludeEnv: false };
  expect(withoutSecrets(reports)).toBeUndefined();
  expect(reports).toEqual({ ...OFF, reportOnSignal: true, excludeEnv: true });
});

it.each(Object.keys(OFF))('switches %s off where Node cannot, and says so', (name) => {
  const reports: NodeReports = { ...OFF, [name]: true };
  expect(withoutSecrets(reports)).toContain('No diagnostic report is written');
  expect(reports).toEqual(OFF);
});

it('says nothing where no report was asked for', () => {
  expect(withoutSecrets({ ...OFF })).toBeUndefined();
});
