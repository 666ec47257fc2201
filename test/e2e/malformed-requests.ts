/** Requests that nothing good can come of: each must be refused with a code, or closed. */
export interface Malformed {
  readonly name: string;
  bytes(): Buffer;
}

const LIST = '/api/v5/mainchain/block/block-list';
const SUBMISSION = '/api/v5/mainchain/contract/verify-source-code';
const HOST = 'Host: localhost\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';

const raw = (name: string, text: string): Malformed => ({
  name,
  bytes: () => Buffer.from(text, 'latin1'),
});
const get = (name: string, target: string, headers = HOST): Malformed =>
  raw(name, `GET ${target} HTTP/1.1\r\n${headers}\r\n`);
const post = (name: string, body: Buffer, headers = JSON_TYPE): Malformed => ({
  name,
  bytes: () =>
    Buffer.concat([
      Buffer.from(
        `POST ${SUBMISSION} HTTP/1.1\r\n${HOST}${headers}Content-Length: ${body.length}\r\n\r\n`,
      ),
      body,
    ]),
});

/** Handed in by a contract of this name. */
function submission(contractName: string): string {
  return JSON.stringify({
    chainShortName: 'MAINCHAIN',
    contractAddress: '0xc0',
    contractName,
    sourceCode: 'contract C {}',
    codeFormat: 'solidity-standard-json-input',
  });
}

export const malformedRequests: readonly Malformed[] = [
  raw('no HTTP at all', 'hello\r\n\r\n'),
  raw('noise', `${String.fromCharCode(...Array.from({ length: 200 }, (_, i) => (i * 73) % 256))}`),
  raw('a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  raw('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  raw('a version that is none', `GET ${LIST} HTTP/9.9\r\n${HOST}\r\n`),
  raw('a method that is none', `GRAB ${LIST} HTTP/1.1\r\n${HOST}\r\n`),
  raw('a method of other protocols', `CONNECT localhost:80 HTTP/1.1\r\n${HOST}\r\n`),
  raw('a method the list does not take', `DELETE ${LIST} HTTP/1.1\r\n${HOST}\r\n`),
  raw('a line without a target', `GET\r\n${HOST}\r\n`),
  get('no host', LIST, ''),
  get('an empty host', LIST, 'Host: \r\n'),
  get('two hosts', LIST, 'Host: localhost\r\nHost: evil.example\r\n'),
  get('the host of somebody else', LIST, 'Host: evil.example\r\n'),
  get('a host with user and port', LIST, 'Host: localhost@evil.example:80\r\n'),
  get('a whole address of somebody else', `http://evil.example${LIST}`),
  get('a header that is too long', LIST, `${HOST}X-Long: ${'x'.repeat(9000)}\r\n`),
  get('too many headers', LIST, HOST + 'a: b\r\n'.repeat(3000)),
  get('a target that is too long', `${LIST}?address=${'a'.repeat(20_000)}`),
  get('a header with a NUL', LIST, `${HOST}X-Nul: a\0b\r\n`),
  get('a header without a name', LIST, `${HOST}: b\r\n`),
  get('an expectation of something else', LIST, `${HOST}Expect: miracles\r\n`),
  get('a path that climbs', '/../../../../etc/passwd'),
  get('a path that is no text', '/%c0%ae%c0%ae/%ff'),
  get('a query that is no text', `${LIST}?chainShortName=%ff%fe`),
  get('nothing that is required', LIST),
  get('a parameter given twice', `${LIST}?chainShortName=MAINCHAIN&chainShortName=MAINCHAIN`),
  get('a page size beyond the limit', `${LIST}?chainShortName=MAINCHAIN&limit=1000000`),
  get('a page that is no number', `${LIST}?chainShortName=MAINCHAIN&page=1e9`),
  get('a height that is no number', `${LIST}?chainShortName=MAINCHAIN&height='%20OR%201=1`),
  get(
    'more keys than one request may name',
    `/api/v5/mainchain/transaction/transaction-multi?chainShortName=MAINCHAIN&txId=${'0x1,'.repeat(20)}0x1`,
  ),
  raw(
    'two lengths of one body',
    `POST ${SUBMISSION} HTTP/1.1\r\n${HOST}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`,
  ),
  raw('a length below nothing', `POST ${SUBMISSION} HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`),
  raw(
    'a length and chunks',
    `POST ${SUBMISSION} HTTP/1.1\r\n${HOST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ),
  raw(
    'a chunk that is none',
    `POST ${SUBMISSION} HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n`,
  ),
  post('no body', Buffer.alloc(0)),
  post('a body that is no JSON', Buffer.from('{"a":')),
  post('a body that is no object', Buffer.from('[1,2,3]')),
  post('a body of another type', Buffer.from('a=b'), 'Content-Type: text/plain\r\n'),
  post('a body that is no text', Buffer.from(submission('\xff\xfe'), 'latin1')),
  post('a body that is very deep', Buffer.from('['.repeat(500_000))),
  post('a body that is too large', Buffer.alloc(2_000_000, 'a')),
  post('a body with a prototype', Buffer.from('{"__proto__":{"chainShortName":"MAINCHAIN"}}')),
];
