/**
 * Shows the service's document in Swagger UI, and signs the requests that a reader tries. The secret
 * key stays in this page: it is neither stored nor sent.
 */

const NAMES = ['ACCESS-KEY', 'ACCESS-SIGN', 'ACCESS-PASSPHRASE', 'ACCESS-TIMESTAMP'];
const form = document.querySelector('#signing');
const notice = document.querySelector('#notice');

const spec = await (await fetch('/openapi.json')).json();
const schemes = spec.components?.securitySchemes;
/** Names of the headers by the names of the interface, which a deployment may prefix. */
const headers = Object.fromEntries(NAMES.map((name) => [name, schemes?.[name]?.name ?? name]));
if (schemes === undefined) {
  notice.textContent = 'Requests of this service need no signature.';
} else if (globalThis.crypto?.subtle === undefined) {
  notice.textContent =
    'This browser signs requests on https and on this machine alone (127.0.0.1 or localhost).';
} else {
  notice.textContent =
    'Requests of this service are signed. With these credentials, the requests that you try are ' +
    'signed in this page: the secret key is neither stored nor sent.';
  form.hidden = false;
}

/** The signature of docs/authentication.md. */
async function signatureOf(secretKey, text) {
  const bytes = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes.encode(secretKey), algorithm, false, [
    'sign',
  ]);
  const signed = await crypto.subtle.sign('HMAC', key, bytes.encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(signed)));
}

/** Signs a request of Swagger UI; requests without credentials stay as they are. */
async function signed(request) {
  const value = (name) => form.elements.namedItem(name).value;
  if (form.hidden || value('accessKey') === '') return request;
  const { pathname, search } = new URL(request.url, location.href);
  const timestamp = new Date().toISOString();
  const method = (request.method ?? 'GET').toUpperCase();
  const body = typeof request.body === 'string' ? request.body : '';
  request.headers[headers['ACCESS-KEY']] = value('accessKey');
  // A service may check the key alone.
  if (value('secretKey') === '') return request;
  const text = timestamp + method + pathname + search + body;
  request.headers[headers['ACCESS-SIGN']] = await signatureOf(value('secretKey'), text);
  request.headers[headers['ACCESS-PASSPHRASE']] = value('passphrase');
  request.headers[headers['ACCESS-TIMESTAMP']] = timestamp;
  return request;
}

/**
 * Names for screen readers, and focus for the keyboard, where Swagger UI has none: menus of
 * parameters, and examples that scroll.
 */
function accessible() {
  for (const select of document.querySelectorAll('#reference select:not([aria-label])')) {
    const row = select.closest('tr');
    const name = row?.dataset.paramName ?? row?.querySelector('td')?.textContent ?? '';
    select.setAttribute('aria-label', name.trim() || 'Media type');
  }
  for (const example of document.querySelectorAll('#reference pre:not([tabindex])')) {
    example.tabIndex = 0;
  }
}
new MutationObserver(accessible).observe(document.querySelector('#reference'), {
  childList: true,
  subtree: true,
});

// The form above takes the place of Swagger UI's own, which cannot sign.
delete spec.components?.securitySchemes;
// The service itself is the only one: a menu of one needs no room.
delete spec.servers;
for (const item of Object.values(spec.paths)) {
  for (const operation of Object.values(item)) delete operation.security;
}
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
globalThis.SwaggerUIBundle({
  spec,
  dom_id: '#reference',
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
  requestInterceptor: signed,
});
form.addEventListener('submit', (event) => event.preventDefault());
