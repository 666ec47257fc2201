import { request } from 'node:http';
import type { Effects } from '../../src/effects.ts';
import { chainSource } from '../../src/service/chain-source.ts';
import type { MovableSource } from '../../src/service/faults-chain.ts';
import { parseFaultPlan } from '../../src/service/faults-plan.ts';
import type { Listener } from '../../src/service/listener.ts';
import { listen } from '../../src/service/listener.ts';
import type { Service } from '../../src/service/service.ts';
import { createService } from '../../src/service/service.ts';
import type { ServiceSettings } from '../../src/service/settings.ts';
import { simulatedChain } from '../../src/simulated/chain.ts';
import { systemEffects } from '../../src/system.ts';
import { virtualClock } from '../virtual-clock.ts';

export const HEAD = 40;
export const BLOCKS = 'mainchain/block/block-list';
export const LIST = `/api/v5/${BLOCKS}?chainShortName=MAINCHAIN&limit=5`;

export function smallSource() {
  return chainSource(simulatedChain({ seed: 'faulty', head: HEAD, zoneStart: HEAD - 5 }));
}

/** A service with the faults of a YAML text, on a clock that moves when it is told to. */
export function faultyService(
  yaml: string,
  { source = smallSource(), ...settings }: ServiceSettings & { source?: MovableSource } = {},
) {
  const clock = virtualClock();
  const faults = parseFaultPlan({ text: yaml, file: 'faults.yaml' });
  const service = createService({ source, effects: clock, settings: { ...settings, faults } });
  const get = (target = LIST, headers: Readonly<Record<string, string>> = {}) =>
    service.answer({ method: 'GET', target, headers, body: '' });
  return { service, source, clock, get };
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  /** Whether the whole body came. */
  readonly isWhole: boolean;
  /** Of pieces that the body came in. */
  readonly pieces: number;
  readonly tookMs: number;
}

export interface Open {
  readonly url: string;
  readonly get: (target?: string) => Promise<Received>;
  close(): Promise<void>;
}

/** The service on a port, on the real clock. */
export async function opened(
  service: Service,
  effects: Effects = systemEffects('warn'),
): Promise<Open> {
  const listener: Listener = await listen(service, { effects });
  return {
    url: listener.url,
    get: (target = LIST) => received(listener.url + target),
    close: () => listener.close(),
  };
}

/** All that comes back, however it ends. */
export function received(
  url: string,
  { method = 'GET', body = '', headers = {} as Record<string, string> } = {},
): Promise<Received> {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => {});
      response.on('close', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: Buffer.concat(chunks),
          isWhole: response.complete,
          pieces: chunks.length,
          tookMs: performance.now() - startedMs,
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
