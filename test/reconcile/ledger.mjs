/** Plain sums of records by address and asset: the ledger that the test itself keeps. */

/** An asset: native, nonce, or a token, with its id if it has ids. */
export function assetKey({ kind, token = null, id = null }) {
  return [kind, token ?? '', id ?? ''].join('|');
}

export function assetOf(key) {
  const [kind, token, id] = key.split('|');
  return { kind, token: token === '' ? null : token, id: id === '' ? null : id };
}

/** The movements of a record: `[address, asset key, amount]`. */
export function movements({ list, parties: [from, to], moves, raw, fee, token, id }) {
  const both = (key) => [
    [from, key, -raw],
    ...(to === null || to === undefined ? [] : [[to, key, raw]]),
  ];
  const native = assetKey({ kind: 'native' });
  if (list === 'normal') {
    return [
      [from, assetKey({ kind: 'nonce' }), 1n],
      [from, native, -fee],
      ...(moves ? both(native) : []),
    ];
  }
  if (!moves) return [];
  if (list === 'internal') return both(native);
  // Pieces of a token_721 are counted together.
  return both(assetKey({ kind: list, token, id: list === 'token_1155' ? id : null }));
}

/** Sums by `address` and asset key, over the records of a range. */
export function sums(records, from, to) {
  const balances = new Map();
  for (const record of records) {
    if (record.height < from || record.height > to) continue;
    for (const [address, key, amount] of movements(record)) {
      const ofAddress = balances.get(address) ?? new Map();
      balances.set(address, ofAddress.set(key, (ofAddress.get(key) ?? 0n) + amount));
    }
  }
  return balances;
}

/** Where the sums of a lake are not those of the lists. */
export function ledgerProblems(lake, truth, tokens) {
  const problems = [];
  const left = new Map(
    [...truth].filter(([, { key, moved }]) => moved !== 0n && key !== 'nonce||'),
  );
  const rest = new Map();
  for (const { address, kind, token_address, token_id, amounts, unknown } of lake) {
    const id = kind === 'token_1155' ? token_id : null;
    const slot = `${address} ${assetKey({ kind, token: token_address, id })}`;
    if (Number(unknown) !== 0) problems.push(`${slot}: ${unknown} unknown amounts`);
    const places = tokens.find((token) => token.address === token_address)?.places ?? 18;
    const sum = amounts.reduce(
      (total, text) => total + (text === null ? 0n : raw(text, places)),
      0n,
    );
    rest.set(slot, (rest.get(slot) ?? 0n) + sum);
  }
  for (const [slot, { moved }] of left) {
    if (rest.get(slot) !== moved)
      problems.push(`${slot}: ${rest.get(slot)} in the lake, not ${moved}`);
  }
  return problems;
}

function raw(text, places) {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(places, '0'));
  return text.startsWith('-') ? -units : units;
}
