import type {
  DatasetDescription,
  Description,
  EndpointDescription,
  SqlDescription,
} from './describe.ts';
import { textTable } from './query/text-table.ts';

/**
 * The entries called `name`: an endpoint's path or its end, a dataset with or without `lake.`, a
 * view, macro, check or example.
 */
export function describedAs(name: string, all: Description): Description {
  const isMeant = (file: SqlDescription): boolean => file.name === name || file.alias === name;
  return {
    endpoints: all.endpoints.filter(({ path }) => path === name || path.endsWith(`/${name}`)),
    datasets: all.datasets.filter((each) => each.name === name || `lake.${each.name}` === name),
    views: all.views.filter(isMeant),
    familiar: all.familiar.filter(isMeant),
    macros: all.macros.filter(isMeant),
    checks: all.checks.filter(isMeant),
    examples: all.examples.filter(isMeant),
  };
}

/**
 * All entries as text and tables, without a trailing line feed; '' where there are none. A view
 * comes before the dataset of the same name.
 */
export function entriesText(of: Description): string {
  return [
    ...of.endpoints.map(endpoint),
    ...sqlOf(of).map(({ kind, file }) => sqlFile(kind, file)),
    ...of.datasets.map(dataset),
  ].join('\n\n');
}

/** All names, for suggestions. */
export function describedNames(of: Description): string[] {
  return [
    ...of.endpoints.map(({ path }) => path),
    ...of.datasets.map(({ name }) => `lake.${name}`),
    ...sqlOf(of).flatMap(({ file: { name, alias } }) => (alias === '' ? [name] : [name, alias])),
  ];
}

type SqlKind = 'View' | 'Macro' | 'Check' | 'Example';

function sqlOf(of: Description): { kind: SqlKind; file: SqlDescription }[] {
  const files = (kind: SqlKind, list: readonly SqlDescription[]) =>
    list.map((file) => ({ kind, file }));
  return [
    ...files('View', [...of.views, ...of.familiar]),
    ...files('Macro', of.macros),
    ...files('Check', of.checks),
    ...files('Example', of.examples),
  ];
}

/** A summary of everything, as text and tables. */
export function overviewText(of: Description): string {
  const first = (text: string): string =>
    (/^.*?[.?:](?= |$)/.exec(text)?.[0] ?? text).replace(/:$/, '.');
  const files = (list: readonly SqlDescription[]) =>
    list.map(({ name, meaning }) => ({ name, meaning: first(meaning) }));
  return [
    'Endpoints',
    table(
      ['endpoint', 'axis', 'list', 'feeds', 'summary'],
      of.endpoints.map(({ path, axis, list, datasets, summary }) => ({
        endpoint: path,
        axis,
        list,
        feeds: datasets.join(', '),
        summary,
      })),
    ),
    '\nDatasets: tables of the lake, as lake.<dataset>',
    table(
      ['dataset', 'axis', 'key', 'summary'],
      of.datasets.map(({ name, axis, identity, summary }) => ({
        dataset: name,
        axis,
        key: identity.join(', ') || 'none',
        summary,
      })),
    ),
    '\nViews',
    table(['name', 'meaning'], files(of.views)),
    '\nViews under the names of Dune, BigQuery and Etherscan',
    table(['name', 'meaning'], files(of.familiar)),
    '\nMacros',
    table(['name', 'meaning'], files(of.macros)),
    '\nChecks',
    table(['name', 'meaning'], files(of.checks)),
    '\nExamples: files of sql/examples',
    table(['name', 'meaning'], files(of.examples)),
  ].join('\n');
}

function endpoint(of: EndpointDescription): string {
  const lines = [
    `Endpoint ${of.path} (${of.method}, ${of.axis} axis, ${of.list} list)`,
    `${of.summary}. Feeds ${of.datasets.join(', ')}.`,
    ...of.limits,
    ...of.contradictions.map((text) => `Note: ${text}`),
    '',
    table(
      ['parameter', 'type', 'required', 'default', 'values', 'meaning'],
      of.params.map((param) => ({
        parameter: param.name,
        type: param.type,
        required: param.required ? 'yes' : 'no',
        default: param.default ?? '',
        values: param.values.join(', '),
        meaning: param.meaning,
      })),
    ),
  ];
  if (of.fields.length === 0) return lines.join('\n');
  const fields = of.fields.map((field) => ({
    field: [field.wire, ...field.aliases].join(' or '),
    column: field.columns.join(', '),
    unit: field.unit ?? '',
    volatile: field.volatile ? 'yes' : '',
    meaning: field.meaning,
  }));
  const names = ['field', 'column', 'unit', 'volatile', 'meaning'];
  return [...lines, '', table(names, fields)].join('\n');
}

function dataset(of: DatasetDescription): string {
  const identity =
    of.identity.length === 0
      ? 'Records have no key: equal ones are all kept.'
      : `One record for each ${of.identity.join(', ')}.`;
  return [
    `Dataset lake.${of.name} (${of.axis} axis)`,
    `${of.summary}. ${identity}`,
    `Fed by ${of.fedBy.join(', ')}.`,
    '',
    table(
      ['column', 'type', 'volatile', 'meaning'],
      of.columns.map(({ name, type, volatile, comment }) => ({
        column: name,
        type,
        volatile: volatile ? 'yes' : '',
        meaning: comment,
      })),
    ),
  ].join('\n');
}

function sqlFile(kind: SqlKind, of: SqlDescription): string {
  const { name, alias, meaning, signature, example, columns, sql } = of;
  const also = alias === '' ? '' : `, also ${alias}`;
  const lines = [`${kind} ${signature || name}${also}`, meaning];
  const rows = columns.map(({ name, type, meaning }) => ({ column: name, type, meaning }));
  if (columns.length > 0) lines.push('', table(columnNames(columns), rows));
  if (example !== '') lines.push('', 'Example:', example);
  if (kind === 'Example') lines.push('', sql.replace(/^(--.*\n)+/, '').trim());
  return lines.join('\n');
}

/** Columns of checks and examples have no types. */
function columnNames(columns: SqlDescription['columns']): string[] {
  const isTyped = columns.some(({ type }) => type !== '');
  return isTyped ? ['column', 'type', 'meaning'] : ['column', 'meaning'];
}

function table(names: readonly string[], rows: readonly Readonly<Record<string, string>>[]) {
  return textTable(
    names.map((name) => ({ name, type: 'VARCHAR' })),
    rows,
    Number.POSITIVE_INFINITY,
  );
}
