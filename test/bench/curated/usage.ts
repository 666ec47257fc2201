import { writeSync } from 'node:fs';

/**
 * Loaded with `node --import` before a program: at its end, writes the resources that the whole
 * process has used to file descriptor 3. `measured.ts` reads them.
 */

const startedMs = performance.now();

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = {
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    wallSeconds: (performance.now() - startedMs) / 1000,
    peakBytes: maxRSS * 1024,
  };
  writeSync(3, JSON.stringify(usage));
});
