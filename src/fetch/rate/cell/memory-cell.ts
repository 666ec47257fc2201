import type { PaceCell } from './pace-cell.ts';

/** A value of this process alone. */
export function memoryCell<Value>(visitMs = 0): PaceCell<Value> {
  let value: Value | undefined;
  return {
    visitMs,
    where: 'memory',
    update: async (change) => {
      value = change(value);
    },
  };
}
