import { join } from 'node:path';
import { buildPackage } from './build-package.ts';
import { ROOT } from './repository.ts';

/** npm run build: builds the package for `npm publish dist`. */
const begun = performance.now();
await buildPackage(join(ROOT, 'dist'), AbortSignal.timeout(60_000));
console.log(`built dist in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
