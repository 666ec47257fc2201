/**
 * More cases of the same kinds, for who has more than a few minutes: `THOROUGH=1` plays those that
 * the promises rest on, `THOROUGH=2` all of them.
 */
const LEVEL = Number(process.env['THOROUGH'] ?? 0);

export const IS_THOROUGH = LEVEL >= 1;
export const IS_EXHAUSTIVE = LEVEL >= 2;
