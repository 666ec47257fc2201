/** `THOROUGH=1` plays more cases of the same kinds, for who has more than a few minutes. */
export const IS_THOROUGH = process.env['THOROUGH'] === '1';
