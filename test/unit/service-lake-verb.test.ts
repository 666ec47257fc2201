import { describe, expect, it } from 'vitest';
import type { Console } from '../../src/cli/console.ts';
import type { ServeArguments } from '../../src/cli/serve.ts';
import { serveVerb } from '../../src/cli/serve.ts';

const GIVEN: ServeArguments = { head: '10', host: '127.0.0.1', port: '0', auth: false };
const quiet: Console = {
  out: () => undefined,
  note: () => undefined,
  isJson: true,
  isTerminal: false,
  columns: 100,
};

describe('the sources of serve', () => {
  it.each([
    {},
    { chain: 'x', data: 'y' },
    { records: 'x', data: 'y' },
    { chain: 'x', records: 'y' },
    { chain: 'x', records: 'y', data: 'z' },
  ])('are refused unless exactly one is named: %j', async (sources) => {
    const refusal = serveVerb({ ...GIVEN, ...sources }, quiet);
    await expect(refusal).rejects.toMatchObject({ kind: 'usage', exitCode: 2 });
  });

  it('have a lake among them, which must be there', async () => {
    const refusal = serveVerb({ ...GIVEN, data: '/nowhere/at/all' }, quiet);
    await expect(refusal).rejects.toMatchObject({
      kind: 'configuration',
      where: '/nowhere/at/all',
    });
  });
});
