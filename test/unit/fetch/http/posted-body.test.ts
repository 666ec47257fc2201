import { describe, expect, it } from 'vitest';
import { endpointAt } from '../../../../src/catalogue/index.ts';
import { PostedBody } from '../../../../src/fetch/http/posted-body.ts';
import {
  type Answer,
  credentials,
  json,
  lost,
  refused,
  setUp,
} from '../../../fixtures/fetch-client-setup.ts';

/** Goal: a body that may have arrived is never sent a second time by itself. */

const submission = endpointAt('mainchain/contract/verify-source-code');
const GUID = '0123456789abcdef0123456789abcdef';
const accepted = json({ code: '0', msg: '', data: [GUID] });

function posting(answer: Answer, isRepeatable = false) {
  const world = setUp(answer, { credentials });
  const body = new PostedBody({ contractName: 'Barn' }, { isRepeatable });
  const post = (signal?: AbortSignal) => {
    const signals = signal === undefined ? {} : { signal };
    return world.client.call(submission, {}, { priority: 0, body, ...signals });
  };
  return { ...world, post };
}

describe('the body of a submission', () => {
  it('is signed and sent as JSON, and the reply has the one text', async () => {
    const { clock, post, requests } = posting(() => accepted);
    expect(await clock.run(post())).toMatchObject({ text: GUID });
    expect(requests).toMatchObject([{ method: 'POST', body: '{"contractName":"Barn"}' }]);
    expect(requests[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(requests[0]?.headers['SVC-ACCESS-SIGN']).toBeDefined();
  });

  it.each<[string, Answer]>([
    ['a cut connection', () => lost()],
    ['a time limit', () => lost('timeout')],
    ['a body that is cut off', () => ({ status: 200, headers: {}, body: '{"code":"0","da' })],
    ['an answer without a text', () => json({ code: '0', msg: '', data: [] })],
    ['a server error', () => ({ status: 502, headers: {}, body: 'Bad Gateway' })],
  ])('is sent once where the outcome is uncertain after %s', async (_, answer) => {
    const { fails, post, requests } = posting(answer);
    expect(await fails(post())).toMatchObject({ name: 'UncertainFailure' });
    expect(requests).toHaveLength(1);
  });

  it('is uncertain where the call is aborted after it was sent, and not before', async () => {
    const stop = new AbortController();
    const { fails, post, requests } = posting(() => {
      stop.abort(new Error('interrupted'));
      return lost();
    });
    expect(await fails(post(stop.signal))).toMatchObject({ name: 'UncertainFailure' });
    expect(await fails(post(stop.signal))).toMatchObject({ name: 'Error', message: 'interrupted' });
    expect(requests).toHaveLength(1);
  });

  it('is sent again while it cannot have arrived', async () => {
    const { clock, post, requests } = posting((_, count) => {
      if (count === 1) return lost('refused');
      return count === 2 ? refused('50011') : accepted;
    });
    expect(await clock.run(post())).toMatchObject({ text: GUID });
    expect(requests).toHaveLength(3);
  });

  it('has a refusal as its outcome where the service decided', async () => {
    const { fails, post, requests } = posting(() => refused('50036', 'contractName is malformed'));
    expect(await fails(post())).toMatchObject({ name: 'CallFailure', code: '50036' });
    expect(requests).toHaveLength(1);
  });
});

describe('a body that may be repeated', () => {
  it('is sent again after a cut connection', async () => {
    const { clock, post, requests } = posting(
      (_, count) => (count === 1 ? lost() : accepted),
      true,
    );
    expect(await clock.run(post())).toMatchObject({ text: GUID });
    expect(requests).toHaveLength(2);
  });
});
