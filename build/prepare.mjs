// An install without development packages has nothing to build with, and takes the `dist` of others.
try {
  import.meta.resolve('esbuild');
} catch {
  process.exit();
}
await import('./build.mjs');
