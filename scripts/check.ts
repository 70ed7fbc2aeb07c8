import { availableParallelism } from 'node:os';
import { installSdk } from '../testing/temporal/install-sdk.ts';
import { GATES } from './gates.ts';
import { ROOT } from './repository.ts';
import { runGates } from './run-gates.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

// The types of the Temporal engine are in a package of its own.
await installSdk(console.log);
const begun = performance.now();
const allPassed = await runGates(
  { gates: Object.values(GATES), cwd: ROOT, concurrency: availableParallelism(), print: console.log },
  stop.signal,
);
console.log(
  `\n${allPassed ? 'all gates passed' : 'not passed'} in ${((performance.now() - begun) / 1000).toFixed(1)} s`,
);
process.exitCode = allPassed ? 0 : 1;
