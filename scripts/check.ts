import { availableParallelism } from 'node:os';
import { GATES } from './gates.ts';
import { ROOT } from './repository.ts';
import { runGates } from './run-gates.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

const begun = performance.now();
const allPassed = await runGates(
  { gates: Object.values(GATES), cwd: ROOT, concurrency: availableParallelism(), print: console.log },
  stop.signal,
);
console.log(
  `\n${allPassed ? 'all gates passed' : 'not passed'} in ${((performance.now() - begun) / 1000).toFixed(1)} s`,
);
process.exitCode = allPassed ? 0 : 1;
