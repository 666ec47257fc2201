import { createServer } from 'node:http';

/**
 * Answers every target from memory once it has been asked for: the first time, a service at the
 * address given as argument answers. Prints its own address. `/requests` has the number of requests
 * since it was last asked for.
 */

const [service] = process.argv.slice(2);
const pages = new Map();
let requests = 0;

async function pageOf(target) {
  const cached = pages.get(target);
  if (cached !== undefined) return cached;
  const response = await fetch(`${service}${target}`);
  const page = { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  if (page.status === 200) pages.set(target, page);
  return page;
}

const server = createServer(async (request, response) => {
  if (request.url === '/requests') {
    response.end(String(requests));
    requests = 0;
    return;
  }
  requests += 1;
  const { status, body } = await pageOf(request.url);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.length,
  });
  response.end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
