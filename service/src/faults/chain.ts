import { Fault } from '../../../src/fault.ts';
import type { Source } from '../protocol/source.ts';
import type { FaultPlan } from '../settings/fault-schema.ts';

/** The effects of a fault plan on the served chain. */
export interface ChainMoves {
  /**
   * Puts the plan in force. Throws the errors of `checkAgainst` and changes nothing in that case.
   */
  follow(plan: FaultPlan): void;
  /** Called for every request. */
  requested(): void;
}

/** The chain does not move until a plan is in force. */
export function chainMoves(source: Source): ChainMoves {
  let blocksPerRequest = 0;
  /** Fractions of a block that have not been added yet. */
  let owed = 0;
  return {
    follow: (plan) => {
      checkAgainst(plan, source);
      const { advancePerRequest = 0, delayInternal = 0 } = plan.chain;
      blocksPerRequest = advancePerRequest;
      owed = 0;
      source.delayInternal?.(delayInternal);
    },
    requested: () => {
      owed += blocksPerRequest;
      const blocks = Math.floor(owed);
      if (blocks === 0) return;
      owed -= blocks;
      source.growTo?.(source.head('primary') + blocks);
    },
  };
}

/** Throws a Fault('configuration') if the plan needs a feature that the source lacks. */
export function checkAgainst(plan: FaultPlan, source: Source): void {
  const { advancePerRequest = 0, delayInternal = 0 } = plan.chain;
  if (advancePerRequest > 0 && source.growTo === undefined) {
    throw cannot('chain.advancePerRequest', 'cannot grow');
  }
  if (delayInternal > 0 && source.delayInternal === undefined) {
    throw cannot('chain.delayInternal', 'cannot delay records');
  }
  const depths = plan.faults.flatMap((rule) => (rule.fault === 'reorganise' ? [rule.depth] : []));
  if (depths.length === 0) return;
  if (source.reorganise === undefined) throw cannot('reorganise', 'cannot be reorganised');
  const blocks = source.head('primary') + 1;
  const deepest = Math.max(...depths);
  if (deepest > blocks) throw cannot('reorganise', `has only ${blocks} of the ${deepest} blocks`);
}

function cannot(member: string, problem: string): Fault {
  return new Fault('configuration', `The served data ${problem}.`, {
    advice: `Leave ${member} out, or serve a simulated chain that can.`,
  });
}
