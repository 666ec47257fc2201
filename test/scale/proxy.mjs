import { createServer, request } from 'node:http';

/**
 * A proxy before an S3 store that counts requests by kind and misbehaves on demand. `fault` gets
 * the kind and number of a request, and returns its fault: `{ drop: true }` loses the answer,
 * `{ status, code }` answers in place of the store, `{ delayMs }` waits, and
 * `{ unconditional: true }` says that a condition held, as a store that ignores it does.
 */
export async function storeProxy(port) {
  const counts = {};
  const state = { fault: () => ({}), counts, log: [] };
  let number = 0;
  const server = createServer(async (call, answer) => {
    const body = Buffer.concat(await call.toArray());
    const kind = kindOf(call);
    number += 1;
    counts[kind] = (counts[kind] ?? 0) + 1;
    state.log.push(`${kind} ${decodeURIComponent(call.url)}`);
    const { drop, status, code, delayMs = 0, unconditional } = state.fault(kind, number);
    if (delayMs > 0) await new Promise((done) => setTimeout(done, delayMs));
    if (status !== undefined) {
      const text = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>made up</Message></Error>`;
      answer.writeHead(status, { 'content-type': 'application/xml' }).end(text);
      return;
    }
    const { method, url, headers } = call;
    const forwarded = request({ host: '127.0.0.1', port, method, path: url, headers }, (reply) => {
      if (drop) {
        reply.resume();
        reply.on('end', () => call.socket.destroy());
        return;
      }
      if (unconditional && reply.statusCode === 412) {
        reply.resume();
        answer.writeHead(200, { etag: '"taken"' }).end();
        return;
      }
      answer.writeHead(reply.statusCode, reply.headers);
      reply.pipe(answer);
    });
    forwarded.on('error', () => call.socket.destroy());
    forwarded.end(body);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Counts of requests since the last call, by kind. */
    take() {
      const taken = { ...counts };
      for (const kind of Object.keys(counts)) delete counts[kind];
      state.log.length = 0;
      return { ...taken, all: Object.values(taken).reduce((sum, count) => sum + count, 0) };
    },
    get log() {
      return state.log;
    },
    misbehave(fault = () => ({})) {
      state.fault = fault;
    },
    close: () => server.close(),
  };
}

function kindOf({ method, url, headers }) {
  if (method === 'PUT' && headers['if-none-match'] !== undefined) return 'PUT if absent';
  if (method === 'GET' && /[?&]list-type=2/.test(url)) return 'LIST';
  return method;
}
