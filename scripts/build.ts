import { join } from 'node:path';
import { buildPackage } from './build-package.ts';
import { buildTemporalPackage } from './build-temporal-package.ts';
import { ROOT } from './repository.ts';

/** npm run build: builds the packages for `npm publish dist` and `npm publish dist-temporal`. */
const begun = performance.now();
await buildPackage(join(ROOT, 'dist'), AbortSignal.timeout(60_000));
await buildTemporalPackage(join(ROOT, 'dist-temporal'), console.log);
console.log(`built dist and dist-temporal in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
