import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Tests that start the command line run what is in src now. Projects share one build. */
export function setup(): void {
  if (process.env['WINDROW_IS_BUILT'] !== undefined) return;
  process.env['WINDROW_IS_BUILT'] = 'yes';
  const build = fileURLToPath(new URL('../build/build.mjs', import.meta.url));
  execFileSync(process.execPath, [build], { stdio: 'inherit' });
}
