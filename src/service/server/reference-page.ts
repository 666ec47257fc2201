import { createHash } from 'node:crypto';
import type { Answer, OpenApiDocument, OpenApiObject, Operation } from '../openapi/shape.ts';

/** The document as an HTML page: one file without scripts that loads nothing. */

const STYLE = [
  'body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:0 auto;padding:1rem 2rem}',
  'code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}',
  'table{border-collapse:collapse;width:100%;margin:.5rem 0}',
  'th,td{border-bottom:1px solid #ccc;padding:.25rem .5rem;text-align:left;vertical-align:top}',
  'summary{cursor:pointer;padding:.35rem 0}details>div{padding:0 0 1rem 1rem}',
  '@media(prefers-color-scheme:dark){body{background:#151515;color:#ddd}a{color:#8bf}}',
].join('');
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The strictest Content-Security-Policy under which the page works. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** HTML text; all texts of the document are escaped. */
export function referencePage(document: OpenApiDocument): string {
  const { info, tags, paths } = document;
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = tags.map(({ name }) => {
    const own = all.filter(({ operation }) => operation.tags.includes(name));
    const parts = own.map(({ path, method, operation }) =>
      operationPart(document, method.toUpperCase(), path, operation),
    );
    return `<h2>${text(name)}</h2>${parts.join('')}`;
  });
  const title = `${info.title} ${info.version}`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${text(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${text(title)}</h1><p>${text(info.description)}</p>`,
    `<p>${securityPart(document)} The same as JSON: <a href="/openapi.json">openapi.json</a>.</p>`,
    ...sections,
    '</body></html>\n',
  ].join('\n');
}

function securityPart({ components }: OpenApiDocument): string {
  const schemes = Object.keys(components.securitySchemes ?? {});
  if (schemes.length === 0) return 'Requests need no signature.';
  return `Every request needs the headers ${schemes.map(code).join(', ')}.`;
}

function operationPart(
  document: OpenApiDocument,
  method: string,
  path: string,
  operation: Operation,
): string {
  const notes = (operation.description ?? '').split('\n\n').filter((note) => note !== '');
  return [
    `<details id="${text(operation.operationId)}"><summary>`,
    `<b>${method}</b> ${code(path)} ${text(operation.summary)}</summary><div>`,
    notes.length === 0 ? '' : `<ul>${notes.map((note) => `<li>${text(note)}</li>`).join('')}</ul>`,
    parametersPart(operation),
    examplePart(path, operation),
    bodyPart(document, operation),
    answersPart(document, operation),
    '</div></details>',
  ].join('\n');
}

function parametersPart({ parameters = [] }: Operation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, required, description, schema }) => [
    code(name),
    required ? 'required' : '',
    text(description),
    values(schema),
  ]);
  return `<h4>Query</h4>${table(['Parameter', '', 'Meaning', 'Values'], rows)}`;
}

/** A link that finds a record, if all required parameters have examples. */
function examplePart(path: string, { parameters = [] }: Operation): string {
  const given = parameters.filter(({ example }) => example !== undefined);
  const isWhole = parameters.every(({ required, example }) => !required || example !== undefined);
  if (given.length === 0 || !isWhole) return '';
  const query = given.map(({ name, example = '' }): [string, string] => [name, example]);
  const target = `${path}?${new URLSearchParams(query)}`;
  return `<p>Example: <a href="${text(target)}">${code(target)}</a></p>`;
}

function bodyPart(document: OpenApiDocument, { requestBody }: Operation): string {
  const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(requestBody?.content ?? {});
  return requestBody === undefined ? '' : `<h4>Body</h4>${code(type)}${fields(document, schema)}`;
}

function answersPart(document: OpenApiDocument, { responses }: Operation): string {
  const rows = Object.entries(responses).map(([status, { description, content }]) => [
    code(status),
    description.split('\n').map(text).join('<br>'),
    Object.keys(content).map(code).join(', '),
  ]);
  const answers = table(['Status', 'Meaning', 'Type'], rows);
  return `<h4>Answers</h4>${answers}${records(document, responses)}`;
}

/** The fields of the records in a successful answer. */
function records(document: OpenApiDocument, responses: Operation['responses']): string {
  const answer: Answer | undefined = responses['200'];
  const [content] = Object.values(answer?.content ?? {});
  const record = content && recordIn(document, content.schema);
  return record === undefined ? '' : `<h4>Record</h4>${fields(document, record)}`;
}

/** The nested schema with the title of a record; schemas have no cycles. */
function recordIn(document: OpenApiDocument, schema: unknown): OpenApiObject | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const at = schema as OpenApiObject;
  if (at['title'] === 'Record') return at;
  if (typeof at['$ref'] === 'string') return recordIn(document, target(document, at['$ref']));
  for (const value of Object.values(at)) {
    const found = recordIn(document, value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function target({ components }: OpenApiDocument, reference: string): OpenApiObject | undefined {
  return components.schemas[reference.slice(reference.lastIndexOf('/') + 1)];
}

function fields(document: OpenApiDocument, schema: OpenApiObject): string {
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  const rows = Object.entries((schema['properties'] ?? {}) as Record<string, OpenApiObject>).map(
    ([name, member]) => [
      code(name),
      required.includes(name) ? 'required' : '',
      text(String(member['description'] ?? '')),
      values(member) + (member['items'] === undefined ? '' : itemsOf(document, member)),
    ],
  );
  return table(['Field', '', 'Meaning', 'Values'], rows);
}

function itemsOf(document: OpenApiDocument, member: OpenApiObject): string {
  return fields(document, member['items'] as OpenApiObject);
}

/** The values that a schema accepts, in a few words. */
function values(schema: OpenApiObject): string {
  const { enum: listed, const: only, pattern, anyOf, type, default: fallback } = schema;
  const also = fallback === undefined ? '' : `; default ${code(String(fallback))}`;
  const spelled = (value: unknown): string => (value === '' ? 'nothing' : code(String(value)));
  if (Array.isArray(listed)) return listed.map(spelled).join(', ') + also;
  if (only !== undefined) return spelled(only);
  if (typeof pattern === 'string') return code(pattern) + also;
  if (Array.isArray(anyOf)) return anyOf.map((each) => values(each as OpenApiObject)).join(' or ');
  return text(String(type ?? 'anything')) + also;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table>${line(head, 'th')}${rows.map((row) => line(row, 'td')).join('')}</table>`;
}

function code(raw: string): string {
  return `<code>${text(raw)}</code>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function text(raw: string): string {
  return raw.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? '');
}
