import type { FaultName, FaultPlan } from '../../service/src/settings/fault-schema.ts';
import type { PlanLimit } from '../../service/src/settings/rate-limits-schema.ts';

/** One plan for each fault, as docs/faults.md shows it. Tests run all of them. */

export const FAULT_EXAMPLES: Readonly<Record<FaultName, string>> = {
  empty: `faults:
  - { fault: empty, at: "mainchain/block/*", every: 2 }`,
  error: `faults:
  - { fault: error, status: 503, code: 50001, data: none, retryAfterSeconds: 2 }`,
  html: `faults:
  - { fault: html, status: 502, next: 1 }`,
  redirect: `faults:
  - { fault: redirect, status: 307, to: "https://elsewhere.example/api" }`,
  malformed: `faults:
  - { fault: malformed, at: "**/block-list", after: 1 }`,
  'wrong-type': `faults:
  - { fault: wrong-type, as: code-number }`,
  'drop-field': `faults:
  - { fault: drop-field, field: height }`,
  'clamp-limit': `faults:
  - { fault: clamp-limit, most: 2, echo: asked }`,
  delay: `faults:
  - { fault: delay, delayMs: 30 }`,
  slow: `faults:
  - { fault: slow, pieceBytes: 500, pauseMs: 5 }`,
  cut: `faults:
  - { fault: cut, afterBytes: 100, next: 1 }`,
  oversized: `faults:
  - { fault: oversized, bytes: 300000 }`,
  compressed: `faults:
  - { fault: compressed, coding: br, bombBytes: 3000000 }`,
  reorganise: `faults:
  - { fault: reorganise, depth: 3, after: 1, next: 1 }`,
};

export const LIMIT_EXAMPLES: Readonly<Record<PlanLimit['rule'], string>> = {
  'token-bucket': `limits:
  - { rule: token-bucket, requests: 5, seconds: 1, burst: 10 }`,
  'fixed-window': `limits:
  - { rule: fixed-window, requests: 3, seconds: 10, reject: { retryAfter: true, data: none } }`,
  'sliding-window': `limits:
  - rule: sliding-window
    requests: 4
    seconds: 2
    ban: { rejections: 3, withinSeconds: 10, seconds: 60 }`,
  'per-minute': `limits:
  - rule: per-minute
    requests: 3
    each: key
    changes: [{ afterSeconds: 120, requests: 1 }]
    reject: { status: 200, code: "0" }`,
};

export const CHAIN_EXAMPLES: Readonly<Record<keyof FaultPlan['chain'], string>> = {
  advancePerRequest: `chain: { advancePerRequest: 0.5 }`,
  delayInternal: `chain: { delayInternal: 20 }`,
  recordCap: `chain: { recordCap: 4 }`,
  capStyle: `chain: { recordCap: 4, capStyle: error }`,
  perMatchListing: `chain: { perMatchListing: true }`,
  endReading: `chain: { endReading: exclusive }`,
  maxPageSize: `chain: { maxPageSize: { "mainchain/block/block-list": 2 } }`,
};
