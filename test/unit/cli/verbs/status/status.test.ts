import { expect, test } from 'vitest';
import { statusVerb } from '../../../../../src/cli/verbs/status/status.ts';
import { SmallLake, TRANSACTIONS_BY_HASH } from '../../../../fixtures/load-lake.ts';
import { quietConsole } from '../../../../fixtures/quiet-console.ts';

test('a reason with a part for each key is cut after three of them, but not in JSON', async () => {
  const lake = await SmallLake.open();
  const parts = [11, 12, 13, 14, 15].map((at) => `a record at height ${at} was listed for 0-9`);
  const reason = parts.join('; ');
  await lake.land(TRANSACTIONS_BY_HASH, { keys: ['0x01'], status: 'inconsistent', reason });
  const told = async (isJson: boolean): Promise<string> => {
    const lines: string[] = [];
    await statusVerb({ data: lake.root }, { ...quietConsole, isJson, out: (of) => lines.push(of) });
    return lines.join('\n');
  };
  expect(await told(false)).toContain(
    `inconsistent for 1 key, blocks 0 to 99: ${parts.slice(0, 3).join('; ')} and 2 more`,
  );
  expect(await told(false)).not.toContain(parts[3]);
  expect(await told(true)).toContain(reason);
  await lake.close();
});
