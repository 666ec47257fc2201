import { spawnSync } from 'node:child_process';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { declare } from './declarations.mjs';
import { copyReference } from './reference.mjs';

// Builds `dist`: the bundle of the command line and the library, and the empty warehouse. A package
// has the types of the library, too; they take longer than the rest.
const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
await rm(DIST, { recursive: true, force: true });
await mkdir(DIST);
await bundle(DIST);
await copyReference(DIST);
await chmod(`${DIST}cli/main.js`, 0o755);
const stored = spawnSync(process.execPath, [`${DIST}load/store-empty-warehouse.js`], {
  stdio: 'inherit',
});
process.exitCode = stored.status ?? 1;
if (['pack', 'publish'].includes(process.env.npm_command)) await declare(`${DIST}types`);
