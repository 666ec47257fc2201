import { type Dialect, exactTotal, filledIn, textLiteral } from './dialects.ts';

/** A node of a query, as DuckDB's `json_serialize_sql` writes it. Each type has other fields. */
export interface Tree {
  readonly type: string;
  readonly class?: string;
  readonly alias?: string;
  readonly [field: string]: unknown;
}

export interface Macro {
  readonly parameters: readonly string[];
  readonly body: Tree;
}

/** The relations and macros that queries use. */
export interface QueryTarget {
  readonly dialect: Dialect;
  readonly macros: ReadonlyMap<string, Macro>;
  /** Columns by relation, such as `curated.blocks`. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  /** The quoted name of a relation there. Throws `Unsayable` if it is absent. */
  readonly nameOf: (relation: string) => string;
}

/** A part of a query has no form in the dialect. The message is the reason. */
export class Unsayable extends Error {}

const COMPARED: Readonly<Record<string, string>> = {
  COMPARE_EQUAL: '=',
  COMPARE_NOTEQUAL: '<>',
  COMPARE_LESSTHAN: '<',
  COMPARE_GREATERTHAN: '>',
  COMPARE_LESSTHANOREQUALTO: '<=',
  COMPARE_GREATERTHANOREQUALTO: '>=',
  COMPARE_DISTINCT_FROM: 'IS DISTINCT FROM',
  COMPARE_NOT_DISTINCT_FROM: 'IS NOT DISTINCT FROM',
};
const OPERATORS: Readonly<Record<string, string>> = {
  OPERATOR_COALESCE: 'coalesce($*)',
  OPERATOR_IS_NULL: '($1 IS NULL)',
  OPERATOR_IS_NOT_NULL: '($1 IS NOT NULL)',
  OPERATOR_NOT: '(NOT $1)',
};
/** Fields of a query that no view may have. */
const UNKNOWN = ['modifiers', 'qualify', 'having', 'sample', 'window_definitions'];

/** Prints queries of DuckDB for an engine, with macros in line and stars as columns. */
export class QueryPrinter {
  readonly #to: QueryTarget;
  readonly #commonTables = new Set<string>();

  constructor(to: QueryTarget) {
    this.#to = to;
  }

  query(node: Tree): string {
    const map = (node['cte_map'] as { map?: readonly CommonTable[] } | undefined)?.map ?? [];
    const common = map.map(({ key, value }) => {
      const text = `${this.#name(key)} AS (${this.query(value.query.node)})`;
      this.#commonTables.add(key);
      return text;
    });
    return `${common.length === 0 ? '' : `WITH ${common.join(', ')} `}${this.#body(node)}`;
  }

  #body(node: Tree): string {
    const unknown = UNKNOWN.find((field) => [node[field] ?? []].flat().length > 0);
    if (unknown !== undefined) this.#refuse(unknown);
    if (node.type === 'SET_OPERATION_NODE' && node['setop_all'] === true) {
      return ['left', 'right'].map((side) => this.query(node[side] as Tree)).join(' UNION ALL ');
    }
    if (node.type !== 'SELECT_NODE') this.#refuse(node.type);
    const from = node['from_table'] as Tree;
    const items = nodes(node['select_list']).flatMap((item) => {
      return item.class === 'STAR' ? this.#star(item, from) : [this.#item(item)];
    });
    const where = node['where_clause'];
    const groups =
      node['aggregate_handling'] === 'FORCE_AGGREGATES'
        ? items.flatMap(({ isAggregate }, i) => (isAggregate ? [] : [String(i + 1)]))
        : nodes(node['group_expressions']).map((group) => this.#expression(group));
    return [
      `SELECT ${items.map(({ text }) => text).join(', ')}`,
      ...(from.type === 'EMPTY' ? [] : [`FROM ${this.#from(from)}`]),
      ...(where ? [`WHERE ${this.#expression(where as Tree)}`] : []),
      ...(groups.length === 0 ? [] : [`GROUP BY ${groups.join(', ')}`]),
    ].join('\n');
  }

  #item(item: Tree, alias = item.alias): Item {
    const name = alias || (item['column_names'] as string[] | undefined)?.at(-1);
    const text = this.#expression(item);
    const isAggregate = /\b(sum|sumKahan|count|min|max|(max|min)_by|arg(Max|Min))\(/.test(text);
    return { text: name ? `${text} AS ${this.#name(name)}` : text, isAggregate };
  }

  /** The columns of a star; the star itself for a subquery, whose columns are written out. */
  #star(star: Tree, from: Tree): Item[] {
    const wanted = String(star['relation_name'] ?? '');
    const replaced = new Map(
      ((star['replace_list'] ?? []) as readonly { key: string; value: Tree }[]).map((entry) => {
        return [entry.key, entry.value] as const;
      }),
    );
    const tables = tablesIn(from).filter((table) => wanted === '' || aliasOf(table) === wanted);
    return tables.flatMap((table) => {
      const alias = this.#name(aliasOf(table));
      const columns = this.#to.columns.get(relationOf(table));
      if (columns === undefined && replaced.size > 0) this.#refuse('REPLACE');
      if (columns === undefined) return [{ text: `${alias}.*`, isAggregate: false }];
      return columns.map((column): Item => {
        const other = replaced.get(column);
        if (other !== undefined) return this.#item(other, column);
        const name = this.#name(column);
        return { text: `${alias}.${name} AS ${name}`, isAggregate: false };
      });
    });
  }

  #from(from: Tree): string {
    if (from.type === 'JOIN' && from['ref_type'] === 'REGULAR') {
      const [left, right] = [this.#from(from['left'] as Tree), this.#from(from['right'] as Tree)];
      const condition = this.#expression(from['condition'] as Tree);
      return `${left}\n${String(from['join_type'])} JOIN ${right} ON ${condition}`;
    }
    const alias = this.#name(aliasOf(from));
    if (from.type === 'SUBQUERY') return `(${this.#subquery(from)}) AS ${alias}`;
    if (from.type !== 'BASE_TABLE') this.#refuse(from.type);
    const relation = relationOf(from);
    const name = this.#commonTables.has(relation) ? this.#name(relation) : undefined;
    return `${name ?? this.#to.nameOf(relation)} AS ${alias}`;
  }

  #subquery(node: Tree): string {
    return this.query((node['subquery'] as { node: Tree }).node);
  }

  #expression(node: Tree): string {
    const part = (field: string): string => this.#expression(node[field] as Tree);
    const children = nodes(node['children']).map((child) => this.#expression(child));
    const [first = '', ...others] = children;
    switch (node.class) {
      case 'COLUMN_REF':
        return (node['column_names'] as string[]).map((name) => this.#name(name)).join('.');
      case 'CONSTANT':
        return this.#constant(node['value'] as Constant);
      case 'CASE': {
        const checks = nodes(node['case_checks']).map((check) => {
          const [when, then] = [check['when_expr'], check['then_expr']] as [Tree, Tree];
          return `WHEN ${this.#expression(when)} THEN ${this.#expression(then)}`;
        });
        return `CASE ${checks.join(' ')} ELSE ${part('else_expr')} END`;
      }
      case 'CAST':
        return this.#cast(node);
      case 'COMPARISON': {
        const operator = COMPARED[node.type] ?? this.#refuse(node.type);
        return `(${part('left')} ${operator} ${part('right')})`;
      }
      case 'CONJUNCTION': {
        if (node.type !== 'CONJUNCTION_AND') return `(${children.join(' OR ')})`;
        // Macros may stand for it, and not every engine joins by equality beside it.
        const terms = children.filter((term) => term !== 'TRUE');
        return terms.length < 2 ? (terms[0] ?? 'TRUE') : `(${terms.join(' AND ')})`;
      }
      case 'OPERATOR':
        if (node.type === 'COMPARE_IN') return `(${first} IN (${others.join(', ')}))`;
        return filledIn(OPERATORS[node.type] ?? this.#refuse(node.type), children);
      case 'SUBQUERY':
        if (node['subquery_type'] === 'SCALAR') return `(${this.#subquery(node)})`;
        if (node['subquery_type'] !== 'ANY') this.#refuse('EXISTS');
        return `(${part('child')} IN (${this.#subquery(node)}))`;
      case 'FUNCTION':
        return this.#call(node, children);
      default:
        return this.#refuse(node.class ?? node.type);
    }
  }

  #call(node: Tree, args: string[]): string {
    const { dialect, macros } = this.#to;
    const name = String(node['function_name']);
    const orders = nodes((node['order_bys'] as Tree | undefined)?.['orders']);
    if (orders.length > 0) this.#refuse(`${name} in an order`);
    if (name === 'exact_total') return exactTotal(dialect, args[1] ?? '');
    const trees = nodes(node['children']);
    const macro = macros.get(name);
    if (macro !== undefined) {
      const parameters = new Map(macro.parameters.map((parameter, i) => [parameter, trees[i]]));
      try {
        return this.#expression(withParameters(macro.body, parameters));
      } catch (error) {
        if (error instanceof Unsayable && name.startsWith('exact_')) this.#refuse(name);
        throw error;
      }
    }
    const key = args.length === 1 && name === '-' ? 'negative' : name;
    const template = dialect.functions[key] ?? this.#refuse(name);
    if (name === 'regexp_replace') {
      const group = textLiteral(dialect, dialect.group).slice(1, -1);
      args[2] = (args[2] ?? '').replace(/\\+(?=\d)/g, () => group);
    }
    if (node['distinct'] === true) args[0] = `DISTINCT ${args[0]}`;
    const call = filledIn(template, args);
    const filter = node['filter'];
    return filter ? `${call} FILTER (WHERE ${this.#expression(filter as Tree)})` : call;
  }

  #cast(node: Tree): string {
    const { dialect } = this.#to;
    const child = node['child'] as Tree;
    const { id, type_info: size } = node['cast_type'] as Type;
    const inner = child['cast_type'] as Type | undefined;
    const value = this.#expression(child);
    if (id === 'VARCHAR' && inner?.id === 'DECIMAL') {
      return filledIn(dialect.decimalText, [value, String(inner.type_info?.scale)]);
    }
    if (id === 'BOOLEAN' && child.class === 'CONSTANT') return value === "'t'" ? 'TRUE' : 'FALSE';
    const type = dialect.types[id] ?? this.#refuse(id);
    const sized = id === 'DECIMAL' ? `${type}(${size?.width}, ${size?.scale})` : type;
    return filledIn(node['try_cast'] === true ? dialect.tryCast : dialect.cast, [value, sized]);
  }

  #constant({ value, is_null: isNull, type }: Constant): string {
    if (isNull) return 'NULL';
    if ((type.type_info?.scale ?? 0) > 0) this.#refuse('a number with a point');
    return typeof value === 'string' ? textLiteral(this.#to.dialect, value) : String(value);
  }

  #name(name: string): string {
    const { quote } = this.#to.dialect;
    return `${quote}${name}${quote}`;
  }

  #refuse(part: string): never {
    throw new Unsayable(`It uses ${part}, which has no equal in ${this.#to.dialect.title}.`);
  }
}

interface Item {
  readonly text: string;
  readonly isAggregate: boolean;
}

interface CommonTable {
  readonly key: string;
  readonly value: { readonly query: { readonly node: Tree } };
}

interface Type {
  readonly id: string;
  readonly type_info?: { readonly width?: number; readonly scale?: number };
}

interface Constant {
  readonly value: unknown;
  readonly is_null: boolean;
  readonly type: Type;
}

function nodes(value: unknown): readonly Tree[] {
  return Array.isArray(value) ? (value as Tree[]) : [];
}

function relationOf(table: Tree): string {
  const schema = String(table['schema_name'] ?? '');
  return `${schema === '' ? '' : `${schema}.`}${String(table['table_name'])}`;
}

function aliasOf(table: Tree): string {
  return table.alias || String(table['table_name'] ?? 'subquery');
}

function tablesIn(from: Tree): readonly Tree[] {
  if (from.type !== 'JOIN') return [from];
  return [from['left'], from['right']].flatMap((side) => tablesIn(side as Tree));
}

/** The body of a macro, with arguments in place of its parameters. */
function withParameters(body: Tree, args: ReadonlyMap<string, Tree | undefined>): Tree {
  const filled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(filled);
    if (value === null || typeof value !== 'object') return value;
    const names = (value as Tree).class === 'COLUMN_REF' ? (value as Tree)['column_names'] : [];
    const [name = '', ...others] = names as string[];
    if (others.length === 0 && args.has(name)) return args.get(name);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item)]));
  };
  return filled(body) as Tree;
}
