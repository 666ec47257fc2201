import type { CanonicalRecord } from '../src/catalogue/record.ts';
import type { SimulatedChain } from '../src/simulated/chain.ts';

/** The result of a computation whose steps are all taken at once. */
export function finished<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The ranking of native balances at a height. */
export function holdersAt(chain: SimulatedChain, height: number): readonly CanonicalRecord[] {
  return finished(chain.holderSteps(height));
}
