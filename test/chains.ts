import type { Chains } from '../src/land/lake.ts';

/** The names the interface itself shows. */
export const CHAINS: Chains = { primary: 'MAINCHAIN', zone: 'ZONECHAIN' };
