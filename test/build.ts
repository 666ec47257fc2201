import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Tests that start the command line run what is in src now. */
export function setup(): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  execFileSync('npx', ['tsc', '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
}
