import packageJson from '../../../package.json' with { type: 'json' };
import { type Command, EXIT, UsageError } from '../command.ts';

export const version: Command = {
  help: () => `Usage: fleetshift version [--json]

Shows the version of FleetShift.

  --json  as one JSON object, with the versions of its runtime
`,
  async run(args, io) {
    const unknown = args.find((arg) => arg !== '--json');
    if (unknown !== undefined) throw new UsageError(`unexpected argument "${unknown}"`);
    io.out(args.includes('--json') ? `${JSON.stringify(facts())}\n` : `fleetshift ${packageJson.version}\n`);
    return EXIT.ok;
  },
};

function facts(): Record<string, string | undefined> {
  const { node, sqlite, openssl } = process.versions;
  return { version: packageJson.version, node, sqlite, openssl, platform: process.platform, arch: process.arch };
}
