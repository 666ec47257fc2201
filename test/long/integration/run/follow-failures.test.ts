import { describe, expect, it } from 'vitest';
import type { ServiceResponse } from '../../../../service/src/protocol/exchange.ts';
import { followedWorld, HEAD } from '../../../fixtures/followed-world.ts';

/** Goal: a follower's lake equals one export of the same chain, whatever happened on the way. */

const HTTP_503: ServiceResponse = { status: 503, headers: {}, body: '{}' };

describe('a follower', () => {
  it('goes on after failures of the service, with longer and longer waits', async () => {
    const {
      follow: followed,
      exported,
      digests,
    } = await followedWorld(undefined, (_, at) => {
      return at >= 10 && at < 60 ? HTTP_503 : undefined;
    });
    const { cycles, failures } = await followed(80);
    expect(failures.length).toBeGreaterThan(2);
    expect(failures.every(({ fault }) => fault.kind === 'unreachable')).toBe(true);
    expect(failures.map(({ delayMs }) => delayMs)).toEqual(failures.map((_, i) => 750 * 2 ** i));
    expect(cycles.at(-1)?.ran.plan.heads.primary?.head).toBeGreaterThanOrEqual(HEAD + 80);
    expect(await digests()).toEqual(await exported());
  });

  it('repairs a reorganisation that is deeper than the finality lag', async () => {
    const {
      follow: followed,
      exported,
      digests,
    } = await followedWorld((at, source) => {
      if (at === 12) source.reorganise(25);
    });
    const { cycles } = await followed(25);
    expect(await digests()).toEqual(await exported());
    // What was known of removed blocks says nothing about empty answers.
    expect(cycles.map(({ ran }) => ran.execution.short)).toEqual(cycles.map(() => 0));
  });

  it('ends with a failure that another try does not change', async () => {
    const refused = JSON.stringify({ code: '50111', msg: 'expired', data: [] });
    const { follow: followed } = await followedWorld(undefined, (_, at) => {
      return at < 10 ? undefined : { status: 401, headers: {}, body: refused };
    });
    await expect(followed(30)).rejects.toMatchObject({ kind: 'authentication' });
  });
});
