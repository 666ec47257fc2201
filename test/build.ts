import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Tests that start the command line run what is in src now. Projects share one build. */
export function setup(): void {
  if (process.env['WINDROW_IS_BUILT'] !== undefined) return;
  process.env['WINDROW_IS_BUILT'] = 'yes';
  const root = fileURLToPath(new URL('..', import.meta.url));
  execFileSync('npx', ['tsc', '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  execFileSync('node', ['dist/load/store-empty-warehouse.js'], { cwd: root, stdio: 'inherit' });
}
