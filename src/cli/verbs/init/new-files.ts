import { SECRET_VARIABLES } from '../../../run/job/credentials.ts';
import { KINDS } from './fields.ts';
import type { Choice } from './questions.ts';

/** A file of a new folder. */
export interface NewFile {
  readonly name: string;
  readonly text: string;
}

const SECRETS_FILE = 'secrets.json';
/** Paths that version control must not hold. */
export const IGNORED: readonly string[] = ['/data/', '/.env', `/${SECRETS_FILE}`];

/** The name of the file with the keys of a job; undefined for a job without keys. */
export function keysFileOf({ kind }: Choice): string | undefined {
  const { keys } = KINDS[kind];
  return keys === undefined ? undefined : `${keys.set}.csv`;
}

/** The pipeline: the shipped one of its kind (`shipped`), with the chosen values. */
export function pipelineText({ kind, values }: Choice, shipped: string): string {
  const keysFile = keysFileOf({ kind, values });
  const header = [
    '# yaml-language-server: $schema=./pipeline.schema.json',
    '#',
    `# Exports ${KINDS[kind].summary}. Print the price before the first run:`,
    '#',
    `#   windrow plan ${kind}.yaml`,
    '',
    '',
  ].join('\n');
  const body = shipped
    .slice(shipped.indexOf('version: 1'))
    .replace(/^ {2}url: \S+/m, () => `  url: ${values['url']}`)
    .replace(/^ {2}chain: \S+/m, () => `  chain: ${scalar(values['chain'])}`)
    .replace(/^ {2}zoneChain: \S+/m, () => `  zoneChain: ${scalar(values['zone-chain'])}`)
    .replace(/^ {2}credentials: .*$/m, () => credentialLines({ kind, values }).join('\n'))
    .replace(/^( +\w+: \{ file: )[\w.]+\.example\.csv/m, (_, start) => `${start}${keysFile}`)
    .replace(/^blocks: \{ from: 0/m, () => `blocks: { from: ${values['from']}`)
    .replace(/^zoneBlocks: \{ from: 0/m, () => `zoneBlocks: { from: ${values['zone-from']}`);
  return header + body;
}

function credentialLines({ values }: Choice): string[] {
  const { credentials = '', authentication } = values;
  const command = JSON.stringify(values['credentials-command'] ?? '');
  const forms: Readonly<Record<string, string>> = {
    file: `{ file: ${SECRETS_FILE} }`,
    command: `{ command: ${command} }`,
  };
  const form = forms[credentials] ?? credentials;
  const zone = values['zone-segment'];
  return [
    `  credentials: ${form} # environment, none, { file: NAME } or { command: TEXT }`,
    ...(authentication === undefined
      ? []
      : [`  authentication: ${authentication} # key: one header with the access key alone`]),
    `  pathSegment: ${scalar(values['path-segment'])} # names the primary chain in paths`,
    ...(zone === undefined ? [] : [`  zoneSegment: ${scalar(zone)} # names the zone chain`]),
    `  headerPrefix: ${scalar(values['header-prefix'])} # begins the authentication headers`,
  ];
}

/** A word as YAML text: in quotes unless it can only be read as text. */
function scalar(text = ''): string {
  return /^[A-Za-z][A-Za-z0-9_-]*$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text);
}

/** A CSV of addresses with their labels. */
export function addressesText(
  entries: readonly { readonly address: string; readonly label: string }[],
): string {
  const lines = entries.map(({ address, label }) => `${address},${cell(label)}`);
  return [
    '# One address per line: 0x and 40 hexadecimal digits. Views show the label beside it.',
    'address,label',
    ...lines,
    '',
  ].join('\n');
}

function cell(text: string): string {
  return /[",\r\n#]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The variables that the job reads from its environment. */
export function environmentText({ values }: Choice): string {
  const { credentials, authentication } = values;
  const names = SECRET_VARIABLES.slice(0, authentication === 'key' ? 1 : undefined);
  const secrets =
    credentials === 'environment'
      ? names.map((name) => `${name}=`)
      : ['# The pipeline takes no secrets from the environment.'];
  return [
    '# Copy this file to .env, make the copy private (chmod 600 .env) and fill it in. Load it:',
    '#   set -a; . ./.env; set +a',
    "# The shell reads it: put values in single quotes, as in NAME='value', where they have other",
    '# characters than letters, digits and . _ - / : +. Docker and kubectl keep quotes as part of',
    '# the value: leave them out there.',
    ...secrets,
    '# The memory that DuckDB may take, by default a quarter of the machine:',
    '# WINDROW_MEMORY_LIMIT=2GB',
    '',
  ].join('\n');
}

/** The file of secrets that the user fills in; undefined where the job reads none. */
export function secretsHint({ values }: Choice): string | undefined {
  if (values['credentials'] !== 'file') return undefined;
  const fields =
    values['authentication'] === 'key' ? ['accessKey'] : ['accessKey', 'secretKey', 'passphrase'];
  return `${SECRETS_FILE} with {${fields.map((name) => `"${name}": "..."`).join(', ')}}, mode 0600`;
}
