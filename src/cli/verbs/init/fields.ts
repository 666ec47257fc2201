import { sourceSchema } from '../../../pipeline/source-settings.ts';
import { ADDRESS } from '../../../pipeline/syntax/address.ts';

/** The kinds of job, each with the shipped pipeline that it starts from. */
export const KINDS = {
  'address-activity': {
    summary: 'all activity of a set of addresses, on both chains',
    keys: { set: 'addresses', noun: 'addresses' },
    axes: ['primary', 'zone'],
  },
  'chain-blocks': {
    summary: 'whole blocks of the primary chain',
    keys: undefined,
    axes: ['primary'],
  },
  'token-transfers': {
    summary: 'all transfers of some tokens',
    keys: { set: 'tokens', noun: 'token contracts' },
    axes: ['primary'],
  },
  'zone-activity': {
    summary: 'whole blocks of the zone chain',
    keys: undefined,
    axes: ['zone'],
  },
  'cross-chain': {
    summary: 'everything that crosses between the chains',
    keys: undefined,
    axes: ['zone'],
  },
  holders: {
    summary: 'the ranking of the holders of the native token',
    keys: undefined,
    axes: [],
  },
} as const;
export type JobKind = keyof typeof KINDS;

export function isKind(text: string): text is JobKind {
  return Object.hasOwn(KINDS, text);
}

/** A value of the new pipeline: an option of the command line, or the answer to a question. */
export interface JobSetting {
  readonly option: string;
  /** A question without a question mark, for a terminal. */
  readonly question: string;
  /** Absent: a value has to be given. */
  readonly fallback?: string;
  /** Whether jobs of this kind, with the values so far, need the value; all do by default. */
  isFor?(kind: JobKind, values: ChosenValues): boolean;
  /** A problem and advice in two lines; by default by the schema of the source of a pipeline. */
  problem?(text: string): string | undefined;
}

/** Valid values by option. */
export type ChosenValues = Readonly<Record<string, string>>;

const onZone = (kind: JobKind): boolean => KINDS[kind].axes.some((axis) => axis === 'zone');
const signs = (_: JobKind, values: ChosenValues): boolean => values['credentials'] !== 'none';

/** The problem of a value of `source`, as in `zone-chain`, by the schema of pipelines. */
export function inSource(option: string, text: string): string | undefined {
  const name = option.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const field = sourceSchema.shape[name as keyof typeof sourceSchema.shape];
  return field.safeParse(text).error?.issues[0]?.message;
}

export function oneOfWords(words: readonly string[], noun = 'one of the allowed values') {
  return (text: string): string | undefined =>
    words.includes(text) ? undefined : `is not ${noun}\nAllowed here: ${words.join(', ')}.`;
}

function height(text: string): string | undefined {
  if (/^[0-9]{1,15}$/.test(text)) return undefined;
  return 'is not a height\nGive a whole number, as in 19000000.';
}

/** One entry of a list of addresses: the address, and a label after `=`. */
const ENTRY = /^([^=]*)(?:=(.*))?$/;

/** The addresses of a list such as `0x...=treasury,0x...`; undefined for any other text. */
export function listedAddresses(text: string): { address: string; label: string }[] | undefined {
  const entries = text.split(',').map((entry) => {
    const [, address = '', label = ''] = ENTRY.exec(entry.trim()) ?? [];
    return { address: address.trim(), label: label.trim() };
  });
  return entries.every(({ address }) => ADDRESS.test(address)) ? entries : undefined;
}

/** In the order of the questions. The kind of the job is asked first. */
export const FIELDS: readonly JobSetting[] = [
  {
    option: 'url',
    question: 'Address of the service, as in https://explorer.example',
  },
  {
    option: 'chain',
    question: 'Short name of the primary chain',
    fallback: 'MAINCHAIN',
  },
  {
    option: 'zone-chain',
    question: 'Short name of the zone chain',
    fallback: 'ZONECHAIN',
    isFor: onZone,
  },
  {
    option: 'path-segment',
    question: 'Segment of the paths that names the primary chain',
    fallback: 'mainchain',
  },
  {
    option: 'zone-segment',
    question: 'Segment of the paths that names the zone chain',
    fallback: 'zone',
    isFor: onZone,
  },
  {
    option: 'header-prefix',
    question: 'Prefix of the authentication headers',
    fallback: 'SVC-',
  },
  {
    option: 'credentials',
    question: 'Source of the secrets (environment, file, command or none)',
    fallback: 'environment',
    problem: oneOfWords(['environment', 'file', 'command', 'none']),
  },
  {
    option: 'credentials-command',
    question: 'Command that prints the secrets, as in vault read -format=json secret/windrow',
    isFor: (_, values) => values['credentials'] === 'command',
    problem: (text) => (text.trim() === '' ? 'is empty\nName a program.' : undefined),
  },
  {
    option: 'authentication',
    question: 'Authentication of requests (signature, or key for one header with the key alone)',
    fallback: 'signature',
    isFor: signs,
  },
  {
    option: 'addresses',
    question: 'Addresses: a CSV file, or a list as in 0x...=treasury,0x...',
    isFor: (kind) => KINDS[kind].keys !== undefined,
    problem: (text) =>
      text.trim() === '' ? 'is empty\nName a CSV file, or list addresses.' : undefined,
  },
  {
    option: 'from',
    question: 'First block of the primary chain',
    fallback: '0',
    isFor: (kind) => KINDS[kind].axes.some((axis) => axis === 'primary'),
    problem: height,
  },
  {
    option: 'zone-from',
    question: 'First block of the zone chain',
    fallback: '0',
    isFor: onZone,
    problem: height,
  },
];
