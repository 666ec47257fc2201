import { endpoints } from '../catalogue/index.ts';
import type { Transport } from './transport/transport.ts';

const NAMES = new Set(
  endpoints.flatMap(({ fields }) =>
    fields.flatMap(({ kind, wire, aliases }) => (kind.name === 'time' ? [wire, ...aliases] : [])),
  ),
);
const TIMES = new RegExp(
  `"(?:${[...NAMES].join('|')})"\\s*:\\s*"?[1-9][0-9]{0,11}(?=["\\s,}])`,
  'g',
);

/** A transport whose replies have times in milliseconds, over one that has them in seconds. */
export function inMilliseconds(send: Transport): Transport {
  return async (request, signal) => {
    const response = await send(request, signal);
    return { ...response, body: response.body.replace(TIMES, (time) => `${time}000`) };
  };
}
