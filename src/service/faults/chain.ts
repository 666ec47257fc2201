import { Fault } from '../../fault.ts';
import type { Source } from '../protocol/source.ts';
import type { FaultPlan } from '../settings/fault-schema.ts';

/** A source that may also be made to grow. */
export interface MovableSource extends Source {
  /** See `ChainSource`. Absent: it grows by itself, or not at all. */
  growTo?(head: number): void;
}

/** What a plan does to the chain that is served. */
export interface ChainMoves {
  /** Puts the plan in force. Throws what `checkAgainst` throws, and changes nothing then. */
  follow(plan: FaultPlan): void;
  /** Told of every request. */
  requested(): void;
}

/** The chain moves by nothing until it follows a plan. */
export function chainMoves(source: MovableSource): ChainMoves {
  let blocksPerRequest = 0;
  /** Parts of a block that are owed. */
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

/**
 * Throws a Fault('configuration') for a plan that asks of the source what it cannot do.
 */
export function checkAgainst(plan: FaultPlan, source: MovableSource): void {
  const { advancePerRequest = 0, delayInternal = 0 } = plan.chain;
  if (advancePerRequest > 0 && source.growTo === undefined) {
    throw cannot('chain.advancePerRequest', 'cannot be made to grow');
  }
  if (delayInternal > 0 && source.delayInternal === undefined) {
    throw cannot('chain.delayInternal', 'cannot keep records back');
  }
  const depths = plan.faults.flatMap((each) => (each.fault === 'reorganise' ? [each.depth] : []));
  if (depths.length === 0) return;
  if (source.reorganise === undefined) throw cannot('reorganise', 'cannot be reorganised');
  const blocks = source.head('primary') + 1;
  const deepest = Math.max(...depths);
  if (deepest > blocks) throw cannot('reorganise', `has ${blocks} blocks, which is not ${deepest}`);
}

function cannot(member: string, what: string): Fault {
  return new Fault('configuration', `What is served ${what}.`, {
    advice: `Leave ${member} out, or serve a simulated chain that can.`,
  });
}
