import { ROOT } from './repository.ts';
import { runCommand } from './run-command.ts';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly externalReferences?: readonly { readonly type: string }[];
}

interface Bom {
  readonly bomFormat: string;
  readonly serialNumber?: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly timestamp?: string };
  readonly components: readonly Component[];
}

/**
 * What the package installs, as a CycloneDX document, from the lockfile alone: no network is asked. The same checkout gives the
 * same text, so neither a time nor a number is in it, nor where this machine got packages from.
 */
export async function softwareBill(signal: AbortSignal): Promise<string> {
  const command = ['npm', 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only', '--silent'];
  const { code, output } = await runCommand(command, { cwd: ROOT }, signal);
  if (code !== 0) throw new Error(`list what is installed: npm ended with ${code}\n${output}`);
  const { serialNumber: _, metadata, components, ...rest } = JSON.parse(output) as Bom;
  const { timestamp: __, ...about } = metadata;
  const cleaned = components.map(({ externalReferences = [], ...component }) => ({
    ...component,
    externalReferences: externalReferences.filter(({ type }) => type !== 'distribution'),
  }));
  return `${JSON.stringify({ ...rest, metadata: about, components: cleaned }, undefined, 2)}\n`;
}

if (import.meta.main) process.stdout.write(await softwareBill(AbortSignal.timeout(60_000)));
