import { describe, expect, it } from 'vitest';
import { endpointAt } from '../../../../src/catalogue/index.ts';
import { failureOf } from '../../../../src/fetch/http/call-failure.ts';
import { faultOfCall } from '../../../../src/fetch/http/call-fault.ts';
import { codeTable } from '../../../../src/fetch/http/codes.ts';
import { openEnvelope } from '../../../../src/fetch/http/envelope.ts';

const PATH = 'mainchain/block/block-list';
const entry = endpointAt(PATH);

/** The fault that ends a run when a service keeps sending this answer. */
function faultFor(body: unknown, status = 200) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const outcome = openEnvelope(entry, { status, headers: {}, body: text }, codeTable());
  if (outcome.outcome === 'reply') throw new Error('this is a reply');
  return faultOfCall(failureOf(entry, outcome));
}

const page = { page: '1', limit: '1', totalPage: '1', blockList: [{ height: '1' }] };

describe('a run that ends because of an answer of the service', () => {
  it.each([
    [{ ...page, totalPage: undefined }, 'totalPage is missing'],
    [{ ...page, page: undefined }, 'page is missing'],
    [{ ...page, page: undefined, totalPage: undefined }, 'page and totalPage are missing'],
    [{ ...page, blockList: undefined }, 'the list blockList is missing'],
  ])('names the undocumented part of the reply, and its path', (data, reason) => {
    const fault = faultFor({ code: '0', msg: '', data: [data] });
    expect(fault.message).toContain('The answer of the service does not match the interface');
    expect(fault.message).toContain(`${PATH}: ${reason}`);
    expect(fault.advice).toContain('ask its operator');
    expect(fault.message + fault.advice).not.toContain('does not answer');
    expect(fault.exitCode).toBe(1);
  });

  it('reports a body that is not JSON, such as a page of a proxy', () => {
    expect(faultFor('<html>Welcome</html>').message).toContain(`${PATH}: the body is not JSON`);
  });

  it('reports a service that does not answer', () => {
    const fault = faultFor('', 502);
    expect(fault.message).toContain('The service does not answer');
    expect(fault.advice).toContain('Check that it runs');
  });
});
