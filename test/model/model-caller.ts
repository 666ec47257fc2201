import type { ServiceRequest, ServiceResponse } from '../../service/src/protocol/exchange.ts';
import { failureOf } from '../../src/fetch/http/call-failure.ts';
import type { Caller, PageReply } from '../../src/fetch/http/caller.ts';
import { codeTable } from '../../src/fetch/http/codes.ts';
import { EMPTY_REPLY, openEnvelope } from '../../src/fetch/http/envelope.ts';
import { FalseEmpties } from '../../src/fetch/http/false-empties.ts';
import { targetOf } from '../../src/fetch/http/request.ts';

const NAMING = { pathSegment: 'mainchain', headerPrefix: 'SVC-' };
const CODES = codeTable();
/** Attempts of one call; the silence of a service ends before that. */
const MAX_ATTEMPTS = 12;

export interface ModelCallerOptions {
  readonly answer: (request: ServiceRequest) => Promise<ServiceResponse>;
  /** Turns that a request takes, so that answers overtake each other. */
  readonly turns: () => number;
}

/**
 * Asks a service in this process, with the real targets, the real reading of envelopes and codes,
 * and attempts that neither wait nor are paced.
 */
export function modelCaller({ answer, turns }: ModelCallerOptions): Caller {
  const empties = new FalseEmpties();
  return {
    call: async (endpoint, query, { onFalseEmpty }): Promise<PageReply> => {
      const request = { method: endpoint.method, target: '', headers: HEADERS, body: '' };
      const question = { ...request, target: targetOf(endpoint, query, NAMING) };
      const call = { onFalseEmpty, falseEmpties: 0 };
      for (let attempt = 1; ; attempt += 1) {
        for (let turn = turns(); turn > 0; turn -= 1) await undefined;
        const answered = openEnvelope(endpoint, await answer(question), CODES);
        for (let turn = turns(); turn > 0; turn -= 1) await undefined;
        const isReply = answered.outcome === 'reply';
        const opened = (isReply && empties.refusalOf(call, answered.reply)) || answered;
        if (opened.outcome === 'reply') return opened.reply;
        if (opened.outcome === 'empty') return EMPTY_REPLY;
        const isHopeful = opened.outcome === 'throttle' || opened.outcome === 'transient';
        if (!isHopeful || attempt === MAX_ATTEMPTS) throw failureOf(endpoint, opened);
      }
    },
  };
}

const HEADERS = { host: 'x' };
