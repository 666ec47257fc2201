import { randomBytes } from 'node:crypto';
import type { Effects } from '../../effects.ts';

/** A unique name that sorts by time: `20260102T030405Z-1f2e3d`. */
export function runName(effects: Pick<Effects, 'now'>): string {
  const time = new Date(effects.now()).toISOString().replace(/[-:]|\.\d+/g, '');
  return `${time}-${randomBytes(3).toString('hex')}`;
}
