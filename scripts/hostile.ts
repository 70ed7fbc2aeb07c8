import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inspect, type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/**
 * `npm run hostile -- --package DIR [--finding N]... [--database sqlite|postgres]`: runs all attacks against a built
 * package. Exits with 1 if one of them succeeded or came to no result.
 */
const USAGE = 'npm run hostile -- --package DIR [--finding N]... [--database sqlite|postgres]';

const OPTIONS = {
  package: { type: 'string' },
  finding: { type: 'string', multiple: true, default: [] },
  database: { type: 'string', default: 'sqlite' },
  help: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

try {
  await main();
} catch (error) {
  refuse(error instanceof Error ? error.message : String(error));
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  const { database, finding: wanted } = values;
  if (values.help) {
    console.log(USAGE);
  } else if (values.package === undefined || !existsSync(join(values.package, 'fleetshift.js'))) {
    refuse(
      `--package names the folder of a built package: the one that holds fleetshift.js (npm run build makes dist).`,
    );
  } else if (database !== 'sqlite' && database !== 'postgres') {
    refuse(`--database is sqlite or postgres, not ${database}.`);
  } else {
    // `#testing/product` reads the variable when it is loaded, so nothing may load it before, not even for the constant's
    // name.
    process.env['FLEETSHIFT_TEST_PACKAGE'] = resolve(values.package);
    const { MAIN } = await import('#testing/product');
    if (MAIN !== join(resolve(values.package), 'fleetshift.js')) throw new Error(`${MAIN} would be attacked instead`);
    const { ATTACKS } = await import('../e2e/hostile/attacks.ts');
    const { runAttack } = await import('../e2e/hostile/run-attack.ts');
    const findings = new Set(ATTACKS.map(({ finding }) => String(finding)));
    const unknown = wanted.filter((each) => !findings.has(each));
    if (unknown.length > 0) {
      refuse(`no attack is of finding ${unknown.join(', ')}: there are ${[...findings].join(', ')}.`);
      return;
    }
    const chosen = ATTACKS.filter(
      ({ finding, engine = database }) =>
        engine === database && (wanted.length === 0 || wanted.includes(String(finding))),
    );
    let [through, broken] = [0, 0];
    for (const attack of chosen) {
      const print = (verdict: string, evidence: string): void =>
        console.log(`${verdict.padEnd(9)}  ${String(attack.finding).padStart(2)}  ${attack.name}: ${evidence}`);
      try {
        const { succeeded, evidence } = await runAttack(attack, database, new AbortController().signal);
        if (succeeded) through += 1;
        print(succeeded ? 'SUCCEEDED' : 'held off', evidence);
      } catch (error) {
        broken += 1;
        print('BROKEN', inspect(error));
      }
    }
    const without = broken === 0 ? '' : `, ${broken} came to no result`;
    console.log(`${through} of ${chosen.length} attacks succeeded against ${resolve(values.package)}${without}`);
    // A successful attack may have left connections open.
    process.exit(through + broken === 0 ? 0 : 1);
  }
}

function refuse(reason: string): void {
  console.error(`${reason}\n${USAGE}`);
  process.exitCode = 2;
}
