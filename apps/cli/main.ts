import './assert-node.ts';
import { enableCompileCache } from 'node:module';
import { compileCacheFolder } from './compile-cache.ts';

/** Commands that have their own bundle in the package. */
const QUICK = ['get', 'version', '--version'];

// Enabled before anything else is loaded, so that the next start is faster. A user who set one of these variables has
// chosen.
const { NODE_COMPILE_CACHE: chosen, NODE_DISABLE_COMPILE_CACHE: none } = process.env;
if (!chosen && !none) {
  const directory = compileCacheFolder(process.env, import.meta.filename);
  if (directory !== undefined) enableCompileCache({ directory });
}
await (QUICK.includes(process.argv[2] ?? '') ? import('./start-quick.ts') : import('./start.ts'));
