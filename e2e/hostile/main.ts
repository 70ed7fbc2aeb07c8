import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * `npm run hostile -- --package DIR [--finding N]... [--database sqlite|postgres]`: all attacks against a built package. Ends with 1
 * if one of them succeeded.
 */
const USAGE = 'npm run hostile -- --package DIR [--finding N]... [--database sqlite|postgres]';

const { values } = parseArgs({
  options: {
    package: { type: 'string' },
    finding: { type: 'string', multiple: true },
    database: { type: 'string', default: 'sqlite' },
    help: { type: 'boolean', default: false },
  },
});
const { database } = values;

if (values.help) {
  console.log(USAGE);
} else if (values.package === undefined || !existsSync(join(values.package, 'fleetshift.js'))) {
  refuse(`--package names the folder of a built package: the one that holds fleetshift.js (npm run build makes dist).`);
} else if (database !== 'sqlite' && database !== 'postgres') {
  refuse(`--database is sqlite or postgres, not ${database}.`);
} else {
  // Read by testing/product.ts when it is loaded, which is why nothing above imports it.
  process.env['FLEETSHIFT_TEST_PACKAGE'] = resolve(values.package);
  const { ATTACKS } = await import('./attacks.ts');
  const { runAttack } = await import('./run-attack.ts');
  const chosen = ATTACKS.filter(({ finding }) => values.finding?.includes(String(finding)) ?? true);
  let through = 0;
  for (const attack of chosen) {
    const { succeeded, evidence } = await runAttack(attack, database, new AbortController().signal);
    if (succeeded) through += 1;
    console.log(
      `${succeeded ? 'SUCCEEDED' : 'held off '}  ${String(attack.finding).padStart(2)}  ${attack.name}: ${evidence}`,
    );
  }
  console.log(`${through} of ${chosen.length} attacks succeeded against ${resolve(values.package)}`);
  process.exitCode = through === 0 ? 0 : 1;
}

function refuse(reason: string): void {
  console.error(`${reason}\n${USAGE}`);
  process.exitCode = 2;
}
