import { gainOf, type Movement } from '../../fetch/witness/movement.ts';

/** A movement of the ledger; `isUnknown`: it may have moved nothing. */
export interface LedgerMovement extends Movement {
  readonly isUnknown: boolean;
}

/** A movement that the ledger lacks, has beyond the chain, or has in another way. */
export interface MovementDifference {
  /** `unknown`: the ledger has it, does not know whether it moved, and it did not. */
  readonly what: 'missing' | 'extra' | 'changed' | 'moved' | 'unknown';
  readonly onChain: Movement | undefined;
  readonly inLedger: Movement | undefined;
  /** The part of the balance's error that it explains. */
  readonly effect: bigint;
}

/**
 * The differences between the movements of an address on the chain and in the ledger. Movements of
 * a transaction with one leg and direction are compared as a group, because they have no other key.
 */
export function differencesOf(
  address: string,
  onChain: readonly Movement[],
  inLedger: readonly LedgerMovement[],
): readonly MovementDifference[] {
  const groups = new Map<string, { chain: Movement[]; ledger: LedgerMovement[] }>();
  const groupOf = (movement: Movement) => {
    const { leg, txHash, from, tokenId } = movement;
    const key = [leg, txHash, from === address, tokenId].join();
    const group = groups.get(key) ?? { chain: [], ledger: [] };
    groups.set(key, group);
    return group;
  };
  const moves = ({ leg, from, to, amount }: Movement) =>
    (leg === 'nonce' || from !== to) && amount !== 0n;
  for (const movement of onChain.filter(moves)) groupOf(movement).chain.push(movement);
  for (const movement of inLedger.filter(moves)) groupOf(movement).ledger.push(movement);
  return [...groups.values()].flatMap(({ chain, ledger }) => ofGroup(address, chain, ledger));
}

function ofGroup(
  address: string,
  chain: Movement[],
  ledger: LedgerMovement[],
): MovementDifference[] {
  const isSame = (one: Movement, other: Movement) =>
    one.amount === other.amount && one.height === other.height;
  // Among equal amounts, the parties tell which one the ledger lacks.
  const areSameParties = (one: Movement, other: Movement) =>
    one.from === other.from && one.to === other.to;
  pairs(chain, ledger, (one, other) => isSame(one, other) && areSameParties(one, other));
  pairs(chain, ledger, isSame);
  const moved = pairs(chain, ledger, (one, other) => one.amount === other.amount);
  const changed = pairs(chain, ledger, (one, other) => one.height === other.height);
  const effectOf = (one?: Movement, other?: Movement) =>
    (one === undefined ? 0n : gainOf(one, address)) -
    (other === undefined ? 0n : gainOf(other, address));
  const difference = (
    what: MovementDifference['what'],
    onChain?: Movement,
    inLedger?: Movement,
  ) => {
    return { what, onChain, inLedger, effect: effectOf(onChain, inLedger) };
  };
  return [
    ...moved.map(([one, other]) => difference('moved', one, other)),
    ...changed.map(([one, other]) => difference('changed', one, other)),
    ...chain.map((one) => difference('missing', one)),
    ...ledger.map((other) => difference(other.isUnknown ? 'unknown' : 'extra', undefined, other)),
  ];
}

/** Takes pairs out of both lists. */
function pairs(
  chain: Movement[],
  ledger: LedgerMovement[],
  isPair: (one: Movement, other: LedgerMovement) => boolean,
): [Movement, LedgerMovement][] {
  const matches: [Movement, LedgerMovement][] = [];
  for (const one of [...chain]) {
    const at = ledger.findIndex((other) => isPair(one, other));
    const other = ledger[at];
    if (other === undefined) continue;
    ledger.splice(at, 1);
    chain.splice(chain.indexOf(one), 1);
    matches.push([one, other]);
  }
  return matches;
}
