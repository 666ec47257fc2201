import type { Axis } from '../../catalogue/entry.ts';
import { datasetNamed, datasets, endpoints } from '../../catalogue/index.ts';
import { tableColumns } from '../../land/rows/columns.ts';
import { declared } from '../../land/storage/appending.ts';
import { noRowsSql } from '../../land/storage/scan.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import { listsTable } from '../rule/coverage-tables.ts';
import type { ListCoverage } from '../rule/list-coverage.ts';
import type { EnteredRange } from '../rule/range-planner.ts';
import { rangeRowsSql } from '../rule/range-rows.ts';
import type { RuleQuery } from '../rule/rule-sql.ts';
import type { JobStep } from '../rule/steps.ts';
import { comparedSteps, compareSteps, SUSPECTS_SQL } from './suspects.ts';

/**
 * The evidence of checks: rows that the queries of `sql/evidence` find at one height, from its raw
 * rows and their coverage alone. The findings of these checks are a query over the evidence of all
 * heights.
 */

/** Steps that create the relations of evidence, other than the rows of a range. */
export function evidenceBegin(axis: Axis, lists: readonly ListCoverage[]): string[] {
  const { columns, rows } = listsTable(lists);
  const values = rows.map((cells) => {
    const texts = cells.map((cell) => (typeof cell === 'string' ? literal(cell) : String(cell)));
    return `(${texts.join(', ')})`;
  });
  // Odd values are in `extra` under the names of their fields.
  const fields = endpoints.flatMap(({ path, fields }) => {
    return fields.flatMap(({ wire, aliases, column }) => {
      return [wire, ...aliases].map((name) => `(${[path, name, column].map(literal).join(', ')})`);
    });
  });
  // Queries name the datasets of both axes, whose heights are unrelated.
  const others = datasets.filter((dataset) => dataset.axis !== axis);
  const views = others.flatMap(({ name }) => {
    const none = rangeRowsSql(name, [
      { traits: undefined, rowsSql: noRowsSql(tableColumns(name)) },
    ]);
    const schemas = ['known', 'bare'];
    return schemas.map((schema) => `CREATE VIEW ${schema}.${identifier(name)} AS ${none}`);
  });
  return [
    `CREATE TABLE lake.lists (${declared(columns)})`,
    ...(values.length === 0 ? [] : [`INSERT INTO lake.lists VALUES ${values.join(', ')}`]),
    SUSPECTS_SQL,
    `CREATE TABLE bare.fields AS
     FROM (VALUES ${fields.join(', ')}) AS fields (endpoint, name, column_name)`,
    ...views,
  ];
}

/** Steps that add the evidence of a range to the table `relation`. */
export function evidenceSteps(entered: EnteredRange, relation: string): JobStep[] {
  const { axis, rule } = entered;
  const present = [...entered.rowsSql.keys()];
  const added = ({ name }: RuleQuery, sql: string): string => {
    return `INSERT INTO ${relation} BY NAME
      SELECT ${literal(name)} AS check_name, ${literal(axis)} AS axis, * FROM (${sql})`;
  };
  const comparing = rule.evidence.filter(({ appliesTo }) => appliesTo === 'differing lists');
  const others = rule.evidence.filter((query) => !comparing.includes(query));
  return [
    ...compareSteps(entered),
    {
      exists: 'FROM known.suspects',
      ifFound: [...comparedSteps(entered), ...comparing.map((query) => added(query, query.sql))],
      ifNone: [],
    },
    ...others.flatMap((query) => sqlOf(query, present).map((sql) => added(query, sql))),
  ];
}

/** The query for datasets with rows in a range: planning it for all of them costs as much. */
function sqlOf({ sql, appliesTo }: RuleQuery, present: readonly string[]): string[] {
  if (appliesTo !== 'each dataset') {
    return appliesTo.split(', ').some((name) => present.includes(name)) ? [sql] : [];
  }
  return present.flatMap((name) => {
    const { heightColumn, identity, sortedBy } = datasetNamed(name);
    const columns = new Set(tableColumns(name).map((column) => column.name));
    const amounts = [...columns].filter((column) => columns.has(`${column}_text`));
    const unfit = amounts.map((column) => `${column} IS NULL AND ${column}_text IS NOT NULL`);
    const texts = amounts.map(
      (column) =>
        `{subject: '${column}', example: CASE WHEN ${column} IS NULL THEN ${column}_text END}`,
    );
    if (sql.includes('$amounts') && amounts.length === 0) return [];
    return sql
      .replaceAll('$dataset', name)
      .replaceAll('$height', heightColumn)
      .replaceAll('$record', identity.at(-1) ?? sortedBy[0] ?? heightColumn)
      .replaceAll('$amounts', texts.join(', '))
      .replaceAll('$unfit', unfit.join(' OR '));
  });
}
