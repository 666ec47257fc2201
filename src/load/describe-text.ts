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
    datasets: all.datasets.filter((table) => table.name === name || `lake.${table.name}` === name),
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
export function entriesText(docs: Description): string {
  return [
    ...docs.endpoints.map(endpoint),
    ...sqlOf(docs).map(({ kind, file }) => sqlFile(kind, file)),
    ...docs.datasets.map(dataset),
  ].join('\n\n');
}

/** All names, for suggestions. */
export function describedNames(docs: Description): string[] {
  return [
    ...docs.endpoints.map(({ path }) => path),
    ...docs.datasets.map(({ name }) => `lake.${name}`),
    ...sqlOf(docs).flatMap(({ file: { name, alias } }) => (alias === '' ? [name] : [name, alias])),
  ];
}

type SqlKind = 'View' | 'Macro' | 'Check' | 'Example';

function sqlOf(docs: Description): { kind: SqlKind; file: SqlDescription }[] {
  const files = (kind: SqlKind, list: readonly SqlDescription[]) =>
    list.map((file) => ({ kind, file }));
  return [
    ...files('View', [...docs.views, ...docs.familiar]),
    ...files('Macro', docs.macros),
    ...files('Check', docs.checks),
    ...files('Example', docs.examples),
  ];
}

/** A summary of everything, as text and tables. */
export function overviewText(docs: Description): string {
  const first = (text: string): string =>
    (/^.*?[.?:](?= |$)/.exec(text)?.[0] ?? text).replace(/:$/, '.');
  const files = (list: readonly SqlDescription[]) =>
    list.map(({ name, meaning }) => ({ name, meaning: first(meaning) }));
  return [
    'Endpoints',
    table(
      ['endpoint', 'axis', 'list', 'feeds', 'summary'],
      docs.endpoints.map(({ path, axis, list, datasets, summary }) => ({
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
      docs.datasets.map(({ name, axis, identity, summary }) => ({
        dataset: name,
        axis,
        key: identity.join(', ') || 'none',
        summary,
      })),
    ),
    '\nViews',
    table(['name', 'meaning'], files(docs.views)),
    '\nViews under the names of Dune, BigQuery and Etherscan',
    table(['name', 'meaning'], files(docs.familiar)),
    '\nMacros',
    table(['name', 'meaning'], files(docs.macros)),
    '\nChecks',
    table(['name', 'meaning'], files(docs.checks)),
    '\nExamples: files of sql/examples',
    table(['name', 'meaning'], files(docs.examples)),
  ].join('\n');
}

function endpoint(entry: EndpointDescription): string {
  const lines = [
    `Endpoint ${entry.path} (${entry.method}, ${entry.axis} axis, ${entry.list} list)`,
    `${entry.summary}. Feeds ${entry.datasets.join(', ')}.`,
    ...entry.limits,
    ...entry.contradictions.map((text) => `Note: ${text}`),
    '',
    table(
      ['parameter', 'type', 'required', 'default', 'values', 'meaning'],
      entry.params.map((param) => ({
        parameter: param.name,
        type: param.type,
        required: param.required ? 'yes' : 'no',
        default: param.default ?? '',
        values: param.values.join(', '),
        meaning: param.meaning,
      })),
    ),
  ];
  if (entry.fields.length === 0) return lines.join('\n');
  const fields = entry.fields.map((field) => ({
    field: [field.wire, ...field.aliases].join(' or '),
    column: field.columns.join(', '),
    unit: field.unit ?? '',
    volatile: field.volatile ? 'yes' : '',
    meaning: field.meaning,
  }));
  const names = ['field', 'column', 'unit', 'volatile', 'meaning'];
  return [...lines, '', table(names, fields)].join('\n');
}

function dataset(entry: DatasetDescription): string {
  const identity =
    entry.identity.length === 0
      ? 'Records have no key: equal ones are all kept.'
      : `One record for each ${entry.identity.join(', ')}.`;
  return [
    `Dataset lake.${entry.name} (${entry.axis} axis)`,
    `${entry.summary}. ${identity}`,
    `Fed by ${entry.fedBy.join(', ')}.`,
    '',
    table(
      ['column', 'type', 'volatile', 'meaning'],
      entry.columns.map(({ name, type, volatile, comment }) => ({
        column: name,
        type,
        volatile: volatile ? 'yes' : '',
        meaning: comment,
      })),
    ),
  ].join('\n');
}

function sqlFile(kind: SqlKind, file: SqlDescription): string {
  const { name, alias, meaning, signature, example, columns, sql } = file;
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
