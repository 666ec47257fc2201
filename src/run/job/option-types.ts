import { Fault } from '../../fault.ts';
import { suggestion } from '../../pipeline/syntax/nearest.ts';

type TypeName = 'text' | 'number' | 'list' | 'object' | 'function';

/**
 * Throws a usage fault for options of a script that are not known or of another type. Scripts in
 * JavaScript have no compiler that finds them, and a misspelt option would have no effect.
 */
export function checkScriptOptions(
  options: object,
  types: Readonly<Record<string, TypeName>>,
): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const type = types[name];
    if (type === undefined) {
      const advice = suggestion(name, Object.keys(types));
      throw new Fault('usage', `There is no option ${name} here.`, { advice });
    }
    if (typeOf(value) === type) continue;
    const message = `${name} is not of type ${type} (${String(value)}).`;
    throw new Fault('usage', message, { advice: `Give a value of type ${type}.` });
  }
}

/** A number counts something, so it is not below zero; a text is not empty. */
function typeOf(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'empty text' : 'text';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number' && !(value >= 0)) return 'number below zero';
  return value === null ? 'null' : typeof value;
}
