import { datasets, endpoints } from '../../catalogue/index.ts';
import { tableColumns } from '../../land/rows/columns.ts';
import { noRowsSql } from '../../land/storage/scan.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import { listsTable } from '../rule/coverage-tables.ts';
import { fillLakeTable } from '../rule/lake-tables.ts';
import { rangeRowsSql } from '../rule/range-rows.ts';
import type { RangeSession } from '../rule/range-session.ts';
import { compareLists, narrowSuspects, SUSPECTS_SQL } from './suspects.ts';

/**
 * The evidence of checks: rows that the queries of `sql/evidence` find at one height, from its raw
 * rows and their coverage alone. The findings of these checks are a query over the evidence of all
 * heights.
 */

/** Creates the relations that queries of evidence read, other than the rows of a range. */
export async function prepareEvidence(session: RangeSession): Promise<void> {
  const { connection, axis } = session;
  const lists = listsTable(session.lists);
  const columns = lists.columns.map(({ name, type }) => `${name} ${type}`).join(', ');
  await connection.run(`CREATE TABLE lake.lists (${columns}); ${SUSPECTS_SQL}`);
  await fillLakeTable(connection, lists);
  // Odd values are in `extra` under the names of their fields.
  const fields = endpoints.flatMap(({ path, fields: own }) => {
    return own.flatMap(({ wire, aliases, column }) => {
      return [wire, ...aliases].map((name) => `(${[path, name, column].map(literal).join(', ')})`);
    });
  });
  await connection.run(
    `CREATE TABLE bare.fields AS
     FROM (VALUES ${fields.join(', ')}) AS fields (endpoint, name, column_name)`,
  );
  // Queries name the datasets of both axes, whose heights are unrelated.
  for (const { name, axis: own } of datasets) {
    if (own === axis) continue;
    const rowsSql = noRowsSql(tableColumns(name));
    const none = rangeRowsSql(name, [{ traits: undefined, rowsSql, hasSeveral: false }]);
    for (const schema of ['known', 'bare']) {
      await connection.run(`CREATE VIEW ${schema}.${identifier(name)} AS ${none}`);
    }
  }
}

/** Adds the evidence of the heights that the session has entered to the table `relation`. */
export async function addEvidence(session: RangeSession, relation: string): Promise<void> {
  const { connection, axis, rule } = session;
  const suspects = await compareLists(session);
  if (suspects > 0) await narrowSuspects(session);
  for (const { name, sql, comparesLists } of rule.evidence) {
    if (suspects === 0 && comparesLists) continue;
    await connection.run(
      `INSERT INTO ${relation} BY NAME
       SELECT ${literal(name)} AS check_name, ${literal(axis)} AS axis, * FROM (${sql})`,
    );
  }
}
