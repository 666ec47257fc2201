import { Fault } from '../../fault.ts';
import { dataDictionary } from '../../load/data-dictionary.ts';
import { type Description, describeAll } from '../../load/describe.ts';
import { describedNames, descriptionText } from '../../load/describe-text.ts';
import type { WarehouseRelation } from '../../load/warehouse-relations.ts';
import { suggestion } from '../../pipeline/syntax/nearest.ts';
import { missingBinding } from '../job/missing-binding.ts';
import type { Console } from '../terminal/console.ts';
import { type Arguments, textOption, toggle } from '../terminal/options.ts';
import type { VerbResult } from '../terminal/verb-result.ts';

export const describeOptions = {
  options: {
    name: textOption(
      'Name of an endpoint, dataset, view, macro, check or example (default: a summary of all)',
    ),
    markdown: toggle('Print the data dictionary: all views and macros, as a page of Markdown'),
  },
  examples: {
    '$0 describe': 'a summary of everything',
    '$0 describe address_activity': 'a view, with the meaning of each column',
    '$0 describe token-transaction-list': 'an endpoint: parameters, limits, fields',
  },
};

/**
 * `windrow describe`: describes endpoints, datasets, views and macros. Needs neither a lake nor a
 * network.
 */
export async function describeVerb(
  given: Arguments<typeof describeOptions>,
  output: Console,
): Promise<VerbResult> {
  const { name, markdown } = given;
  const relations = await relationsIfAny(markdown);
  const all = await describeAll(relations);
  if (markdown) {
    output.out(dataDictionary(all, relations).trimEnd());
    return { exitCode: 0 };
  }
  const text = descriptionText(all, name);
  if (text === undefined) {
    throw new Fault('usage', `Nothing here is called ${JSON.stringify(name)}.`, {
      advice: `windrow describe lists all names. ${suggestion(name, describedNames(all))}`,
    });
  }
  const document = { ...(name === undefined ? all : only(all, name)) };
  return { document, lines: [text], exitCode: 0 };
}

/** Nothing where DuckDB is not installed, unless they are needed. */
async function relationsIfAny(areNeeded: boolean): Promise<readonly WarehouseRelation[]> {
  try {
    const { warehouseRelations } = await import('../../load/warehouse-relations.ts');
    return await warehouseRelations();
  } catch (error) {
    if (areNeeded || missingBinding(error) === undefined) throw error;
    return [];
  }
}

/** The description reduced to the entries of one name. */
function only(all: Description, name: string): Description {
  const isMeant = (each: { readonly name: string }): boolean => each.name === name;
  return {
    endpoints: all.endpoints.filter(({ path }) => path === name || path.endsWith(`/${name}`)),
    datasets: all.datasets.filter((each) => isMeant(each) || `lake.${each.name}` === name),
    views: all.views.filter(isMeant),
    familiar: all.familiar.filter((each) => isMeant(each) || each.alias === name),
    macros: all.macros.filter(isMeant),
    checks: all.checks.filter(isMeant),
    examples: all.examples.filter(isMeant),
  };
}
