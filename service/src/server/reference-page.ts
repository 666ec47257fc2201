import type { ServiceResponse } from '../protocol/exchange.ts';

/** The API reference at /docs: Swagger UI over /openapi.json, served from this package. */

/** Files of the reference, by the names of their paths below /docs. */
export const REFERENCE_FILES = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'reference.js': 'text/javascript; charset=utf-8',
  'reference.css': 'text/css; charset=utf-8',
} as const;

export type ReferenceFile = keyof typeof REFERENCE_FILES;

/** Reads a file of the reference. */
export type ReadReference = (name: ReferenceFile) => Promise<string>;

/** Scripts, styles and requests of this service alone; Swagger UI has images in its styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference - windrow</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/reference.css">
<script src="/docs/swagger-ui-bundle.js" defer></script>
<script type="module" src="/docs/reference.js"></script>
</head><body>
<header><h1>API reference</h1>
<noscript><p>The reference needs scripts.</p></noscript>
<p>The same as a document: <a href="/openapi.json">openapi.json</a>. A simulated chain also has
<a href="/openrpc.json">openrpc.json</a> and, while it grows,
<a href="/asyncapi.json">asyncapi.json</a>.</p>
<p id="notice"></p>
<form id="signing" aria-label="Credentials for signing" hidden>
<label>Access key<input name="accessKey" autocomplete="off" spellcheck="false"></label>
<label>Secret key<input name="secretKey" type="password" autocomplete="off"></label>
<label>Passphrase<input name="passphrase" type="password" autocomplete="off"></label>
</form></header>
<div id="reference"></div>
</body></html>
`;

export function referencePage(): ServiceResponse {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
  };
  return { status: 200, headers, body: PAGE };
}

/** The pages of these files, by path. They are read on each request, and kept by the browser. */
export function referenceFilePages(
  read: ReadReference,
): readonly (readonly [path: string, page: () => Promise<ServiceResponse>])[] {
  return Object.entries(REFERENCE_FILES).map(([name, type]) => [
    `/docs/${name}`,
    async () => ({
      status: 200,
      headers: { 'content-type': type, 'cache-control': 'max-age=3600' },
      body: await read(name as ReferenceFile),
    }),
  ]);
}
