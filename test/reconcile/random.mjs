/** Random numbers of a seed (mulberry32). */
export function randomOf(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound) => Math.floor(next() * bound);
  const bytes = (count) =>
    Array.from({ length: count }, () => below(256).toString(16).padStart(2, '0')).join('');
  return {
    below,
    chance: (share) => next() < share,
    pick: (list) => list[below(list.length)],
    address: () => `0x${bytes(20)}`,
    amount: (digits) => BigInt(`0x${bytes(10)}`) % 10n ** BigInt(digits),
    shuffled: (list) => {
      const rest = [...list];
      for (let at = rest.length - 1; at > 0; at -= 1) {
        const other = below(at + 1);
        [rest[at], rest[other]] = [rest[other], rest[at]];
      }
      return rest;
    },
  };
}
