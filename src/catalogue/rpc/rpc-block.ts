import { asList, asMapping } from '../../json-in.ts';
import { FORMS } from './rpc-form.ts';

/** The height of a block result; undefined if it has none. */
export function blockHeightOf(block: unknown): number | undefined {
  const digits = FORMS.quantity.text(asMapping(block)['number']);
  const height = Number(digits ?? Number.NaN);
  return Number.isSafeInteger(height) ? height : undefined;
}

/** The transactions of a block result, whole or as hashes. */
export function transactionsOf(block: unknown): readonly unknown[] {
  return asList(asMapping(block)['transactions']);
}
