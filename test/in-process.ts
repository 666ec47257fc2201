import type { Effects } from '../src/effects.ts';
import type { Caller } from '../src/fetch/caller.ts';
import { createClient } from '../src/fetch/client.ts';
import { createPacer } from '../src/fetch/pacer.ts';
import type { Credentials } from '../src/fetch/signature.ts';
import type { Service } from '../src/service/service.ts';
import { quietEffects } from './quiet-effects.ts';

interface InProcess {
  readonly effects?: Effects;
  readonly credentials?: Credentials;
}

/** The real client over the real service, without a port between them. */
export function inProcessCaller(
  service: Service,
  { effects = quietEffects(), credentials }: InProcess = {},
): Caller {
  return createClient({
    transport: async ({ method, target, headers, body }) => {
      const answer = await service.answer({
        method,
        target,
        headers: { host: 'x', ...headers },
        body,
      });
      return { status: answer.status, headers: answer.headers, body: answer.body };
    },
    pacer: createPacer({ effects, startPerSecond: 100_000, maxPerSecond: 100_000 }),
    effects,
    pathSegment: 'mainchain',
    headerPrefix: 'SVC-',
    codes: {},
    concurrency: 8,
    ...(credentials === undefined ? {} : { credentials }),
  });
}
