import './assert-node.ts';
import { enableCompileCache } from 'node:module';
import { compileCacheFolder } from './compile-cache.ts';
import { startQuick } from './start-quick.ts';

/** Commands that have their own bundle in the package. */
const QUICK = ['get', 'version', '--version'];

// Enabled before anything else is loaded, so that the next start is faster. A user who set one of these variables has
// chosen.
const { NODE_COMPILE_CACHE: chosen, NODE_DISABLE_COMPILE_CACHE: none } = process.env;
const folder = chosen || none ? undefined : compileCacheFolder(process.env, import.meta.filename);
if (folder !== undefined) enableCompileCache({ directory: folder });
const [, , command = ''] = process.argv;
if (QUICK.includes(command)) await startQuick(command, folder);
else await import('./start.ts');
