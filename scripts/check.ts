import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { installSdk } from '../testing/temporal/install-sdk.ts';
import { GATES, type Gate } from './gates.ts';
import { ROOT } from './repository.ts';
import { runGates } from './run-gates.ts';

/** npm run check [-- --without GATE]... : runs every gate, or all but these. */
const { values } = parseArgs({ options: { without: { type: 'string', multiple: true, default: [] } } });
const gates: readonly Gate[] = Object.values(GATES);
const unknown = values.without.filter((name) => !gates.some((gate) => gate.name === name));
if (unknown.length > 0) {
  console.error(`unknown gate ${unknown.join(', ')}: the gates are ${gates.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

// The types of the Temporal engine are in a separate package.
await installSdk(console.log);
const begun = performance.now();
const allPassed = await runGates(
  {
    gates: gates.filter(({ name }) => !values.without.includes(name)),
    cwd: ROOT,
    concurrency: availableParallelism(),
    print: console.log,
  },
  stop.signal,
);
console.log(
  `\n${allPassed ? 'all gates passed' : 'not passed'} in ${((performance.now() - begun) / 1000).toFixed(1)} s`,
);
process.exitCode = allPassed ? 0 : 1;
