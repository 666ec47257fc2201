import { Fault, suggestion } from '../../fault.ts';
import { dataDictionary } from '../../load/data-dictionary.ts';
import { describeAll } from '../../load/describe.ts';
import {
  describedAs,
  describedNames,
  entriesText,
  overviewText,
} from '../../load/describe-text.ts';
import type { WarehouseRelation } from '../../load/warehouse-relations.ts';
import { missingBinding } from '../job/missing-binding.ts';
import { textOption, toggle } from '../terminal/options.ts';
import type { VerbOf } from '../terminal/verb-result.ts';

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
export const describeVerb: VerbOf<typeof describeOptions> = async (input, output) => {
  const { name, markdown } = input;
  const relations = await relationsIfAny(markdown);
  const all = await describeAll(relations);
  if (markdown) {
    output.out(dataDictionary(all, relations).trimEnd());
    return { exitCode: 0 };
  }
  if (name === undefined) return { document: { ...all }, lines: [overviewText(all)], exitCode: 0 };
  const described = describedAs(name, all);
  const text = entriesText(described);
  if (text === '') {
    throw new Fault('usage', `Nothing here is called ${JSON.stringify(name)}.`, {
      advice: `windrow describe lists all names. ${suggestion(name, describedNames(all))}`,
    });
  }
  return { document: { ...described }, lines: [text], exitCode: 0 };
};

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
