import './assert-node.ts';
import { enableCompileCache } from 'node:module';
import { compileCacheFolder } from './compile-cache.ts';

/** These have a bundle of their own in the package. */
const QUICK = ['get', 'version', '--version'];

// Before anything else is loaded, so that all of it is loaded faster the next time. A user who set one of these has chosen.
const { NODE_COMPILE_CACHE: chosen, NODE_DISABLE_COMPILE_CACHE: none } = process.env;
if (!chosen && !none) {
  const directory = compileCacheFolder(process.env, import.meta.filename);
  if (directory !== undefined) enableCompileCache({ directory });
}
await (QUICK.includes(process.argv[2] ?? '') ? import('./start-quick.ts') : import('./start.ts'));
