import { callsOrReads, inOrderOfUse, type SqlFile, sqlFiles } from './sql-files.ts';

/** A file of `sql/curated` or `sql/evidence` with its query. */
export interface RuleQuery {
  readonly name: string;
  /** The query, without its head and its semicolon. */
  readonly sql: string;
  readonly meaning: string;
  readonly columns: ReadonlyMap<string, string>;
  /**
   * A query of evidence is executed for `differing lists`, at heights where two lists differ; for
   * `each dataset` with rows, whose names replace $dataset, $height and $record, and those of its
   * amounts $amounts and $unfit; or once, if one of several datasets has rows.
   */
  readonly appliesTo: string;
}

/** The SQL of all curated tables. */
export interface RuleSql {
  /** Statements that create the macros of the queries, in order of use. */
  readonly macros: readonly string[];
  readonly queries: ReadonlyMap<string, RuleQuery>;
  /** The queries of `sql/evidence`. */
  readonly evidence: readonly RuleQuery[];
}

/** The rule, read once: the files of `sql/curated` and `sql/evidence`, and the macros they use. */
export function ruleSql(): Promise<RuleSql> {
  memoized ??= readRule();
  return memoized;
}

let memoized: Promise<RuleSql> | undefined;

async function readRule(): Promise<RuleSql> {
  const curatedFiles = await sqlFiles('curated');
  const shared = await sqlFiles('macros');
  const evidence = await sqlFiles('evidence');
  const used = new Set<SqlFile>([...curatedFiles, ...evidence]);
  // A file that is added is visited as well.
  for (const file of used)
    for (const macro of shared) if (callsOrReads(file, macro)) used.add(macro);
  const files = inOrderOfUse([...used]);
  const queries = curatedFiles.filter((file) => !isMacro(file)).map(queryOf);
  return {
    macros: files.filter(isMacro).map(({ sql }) => sql),
    queries: new Map(queries.map((query) => [query.name, query])),
    evidence: evidence.map(queryOf),
  };
}

export function isMacro({ sql }: SqlFile): boolean {
  return /^CREATE MACRO\b/m.test(sql);
}

function queryOf({ name, sql, meaning, columns, appliesTo }: SqlFile): RuleQuery {
  const query = sql.trim().replace(/;$/, '');
  return { name, sql: query, meaning, columns, appliesTo };
}
