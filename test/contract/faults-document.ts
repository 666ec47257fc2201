import { z } from 'zod';
import { parseFaultPlan } from '../../service/src/settings/fault-plan.ts';
import { faultPlanSchema } from '../../service/src/settings/fault-schema.ts';
import { CHAIN_EXAMPLES, FAULT_EXAMPLES, LIMIT_EXAMPLES } from './faults-examples.ts';

/** The page on faults on demand: its tables come from the schema, and tests run its examples. */

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

export function faultsDocument(): string {
  const plan = z.toJSONSchema(faultPlanSchema, { io: 'input' }) as Schema;
  const members = plan.properties ?? {};
  const faults = members['faults']?.items?.oneOf ?? [];
  const limits = members['limits']?.items?.oneOf ?? [];
  const ofAll = Object.keys(faults[0]?.properties ?? {}).filter((name) => name !== 'fault');
  return `${[
    HEAD,
    '## A plan',
    table(plan, { default: faultPlanSchema.parse({}) }),
    '## `chain`',
    table(members['chain'] ?? {}, {}),
    ...Object.values(CHAIN_EXAMPLES).map((example) => fenced(example)),
    '## `limits`',
    LIMITS,
    table(withoutMember(widest(limits), 'rule'), {
      default: defaultsOf('limits', LIMIT_EXAMPLES['token-bucket']),
    }),
    ...limits.flatMap((limit) => {
      const name = nameOf(limit, 'rule');
      const example = LIMIT_EXAMPLES[name as keyof typeof LIMIT_EXAMPLES];
      return [`### \`${name}\``, `${limit.description}.`, fenced(example)];
    }),
    '## `faults`',
    FAULTS,
    table(faults[0] ?? {}, { only: ofAll, default: defaultsOf('faults', FAULT_EXAMPLES.empty) }),
    ...faults.flatMap((fault) => {
      const name = nameOf(fault, 'fault');
      const example = FAULT_EXAMPLES[name as keyof typeof FAULT_EXAMPLES];
      const names = Object.keys(fault.properties ?? {}).filter(
        (key) => key !== 'fault' && !ofAll.includes(key),
      );
      const parts = [`### \`${name}\``, `${fault.description}.`];
      const options = { only: names, default: defaultsOf('faults', example) };
      return [...parts, ...(names.length === 0 ? [] : [table(fault, options)]), fenced(example)];
    }),
    ADMINISTRATION,
  ].join('\n\n')}\n`;
}

/** All members of the forms of a union, in the order of the one with the most. */
function widest(forms: readonly Schema[]): Schema {
  const [first = {}] = forms.toSorted(
    (a, b) => Object.keys(b.properties ?? {}).length - Object.keys(a.properties ?? {}).length,
  );
  return first;
}

function withoutMember(schema: Schema, name: string): Schema {
  const { [name]: _, ...properties } = schema.properties ?? {};
  return { ...schema, properties };
}

function nameOf({ properties = {} }: Schema, tag: string): string {
  return String(properties[tag]?.const);
}

/** The defaults of a plan with only the required members: JSON Schemas lose some defaults. */
function defaultsOf(list: 'faults' | 'limits', example: string): Readonly<Record<string, unknown>> {
  const [rule = {}] = parseFaultPlan({ text: example, file: 'example' })[list] as readonly object[];
  const needed = ['fault', 'rule', 'requests', 'to', 'as', 'field', 'most', 'delayMs', 'bytes'];
  const least = Object.entries(rule).filter(([name]) => [...needed, 'depth'].includes(name));
  const plan = faultPlanSchema.parse({ [list]: [Object.fromEntries(least)] });
  return plan[list][0] ?? {};
}

interface TableScope {
  readonly only?: readonly string[];
  readonly default?: Readonly<Record<string, unknown>>;
}

function table({ properties = {}, required = [] }: Schema, scope: TableScope, within = ''): string {
  return ['| member | value | default | meaning |', '|---|---|---|---|']
    .concat(rows({ properties, required }, scope, within))
    .join('\n');
}

function rows(
  { properties = {}, required = [] }: Schema,
  scope: TableScope,
  within: string,
): string[] {
  return Object.entries(properties).flatMap(([name, member]) => {
    if (scope.only !== undefined && !scope.only.includes(name)) return [];
    const fallback = scope.default?.[name];
    const listed = member.items?.properties === undefined ? member : member.items;
    const isShown = member.type !== 'object' && listed === member;
    const shown = isShown && fallback !== undefined ? `\`${String(fallback)}\`` : '';
    const when = required.includes(name) ? 'needed' : Array.isArray(fallback) ? '' : shown;
    const row = `| \`${within}${name}\` | ${valuesOf(member)} | ${when} | ${member.description ?? ''} |`;
    if (within === '' && scope.only === undefined && OWN_SECTIONS.includes(name)) return [row];
    const inner = listed === member ? `${within}${name}.` : `${within}${name}[].`;
    const default_ = typeof fallback === 'object' ? (fallback as TableScope['default']) : undefined;
    const below = default_ === undefined || Array.isArray(default_) ? {} : { default: default_ };
    return [row, ...rows(listed, below, inner)];
  });
}

/** Members with a section of their own on the page. */
const OWN_SECTIONS = ['chain', 'limits', 'faults'];

function valuesOf({ type, const: only, enum: listed, anyOf, minimum, maximum }: Schema): string {
  if (only !== undefined) return `\`${String(only)}\``;
  if (listed !== undefined) return listed.map((value) => `\`${String(value)}\``).join(', ');
  if (anyOf !== undefined) return anyOf.map(valuesOf).join(' or ');
  if (type === 'integer' || type === 'number') {
    const kind = type === 'integer' ? 'whole number' : 'number';
    return `${kind}, ${minimum ?? ''} to ${maximum ?? ''}`;
  }
  const words: Readonly<Record<string, string>> = {
    string: 'text',
    boolean: '`true`, `false`',
    array: 'list',
    object: 'mapping',
  };
  return words[type ?? ''] ?? '';
}

function fenced(yaml: string): string {
  return `\`\`\`yaml\n${yaml}\n\`\`\``;
}

const HEAD = `# Faults on demand

\`windrow serve --faults FILE\` injects faults that occur in services of this kind: rate limits, and
empty, late, broken or wrong answers. The file is YAML or JSON. The same seed selects the same
requests. Only the plan describes the faults: \`/openapi.json\` describes the service without them.

This page is generated from \`service/src/settings/fault-schema.ts\`, and a test runs its examples.
Edit that file, then run:

\`\`\`sh
UPDATE=1 npx vitest run service/test/integration/faults/document.test.ts
\`\`\``;

const LIMITS = `A request must be granted by all limits; a rejected request counts towards none of them. Limits
apply after authentication, so requests without a valid key use up nothing. Each key can also have a
limit of its own, in the file of keys (\`windrow serve --keys FILE\`, mode 0600, JSON):

\`\`\`json
[
  { "accessKey": "a", "secretKey": "...", "passphrase": "...",
    "limit": { "rule": "token-bucket", "requests": 5, "reject": { "retryAfter": true } } },
  { "accessKey": "b", "secretKey": "...", "passphrase": "..." }
]
\`\`\`

Requests of one key never count towards the limit of another.`;

const FAULTS = `Faults apply to the operations of the interface, after authentication and limits. They do not apply
to the service's own pages and to JSON-RPC. If several apply to one request, each one changes the
answer of the next one in the list. All faults take these members, and at most one of \`every\`,
\`next\` and \`probability\`:`;

const ADMINISTRATION = `## The administration

\`windrow serve --admin\` opens a second port (\`--admin-port\`, any free one by default) on 127.0.0.1,
whatever address the service itself listens on; \`--json\` prints its URL as \`adminUrl\`. Bodies are JSON, with
\`content-type: application/json\`.

| request | body | effect |
|---|---|---|
| \`GET /admin/faults\` | | the active plan, how often each fault was applied, how many requests were rejected |
| \`POST /admin/faults\` | a plan | replaces the plan; all counts restart at 0 |
| \`DELETE /admin/faults\` | | removes all faults |
| \`POST /admin/reorganise\` | \`{"depth": n}\`, 1 to 300 | replaces the newest n blocks of the primary chain |
| \`POST /admin/grow\` | \`{"blocks": n}\`, 1 to 1,000,000 | lets the primary chain grow by n blocks |

Only a simulated chain can be reorganised. Only a simulated chain that does not grow by itself
(\`--stream-speed\`) can grow on request. Other requests are refused with a code of
[service-codes.md](service-codes.md).`;
