import { ROOT } from './repository.ts';
import { runCommand } from './run-command.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
  readonly externalReferences?: readonly { readonly type: string }[];
}

interface Bom {
  readonly bomFormat: string;
  readonly serialNumber?: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly timestamp?: string };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * The packages that the product installs, as a CycloneDX document, from the lockfile alone and without network access.
 * The same checkout gives the same text, so it contains no time, no serial number, and no download locations.
 */
export async function softwareBill(signal: AbortSignal): Promise<string> {
  const command = ['npm', 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--silent'];
  const { code, output } = await runCommand(command, { cwd: ROOT }, signal);
  if (code !== 0) throw new Error(`list installed packages: npm exited with ${code}\n${output}`);
  const { serialNumber: _, metadata, components, dependencies, ...rest } = JSON.parse(output) as Bom;
  const { timestamp: __, ...about } = metadata;
  // npm's `--omit dev` also drops packages that both the product and the tools need. So packages needed by tools alone
  // are removed here instead.
  const tools = new Set(components.filter(isTool).map((component) => component['bom-ref']));
  const cleaned = components
    .filter((component) => !isTool(component))
    .map(({ externalReferences = [], ...component }) => ({
      ...component,
      externalReferences: externalReferences.filter(({ type }) => type !== 'distribution'),
    }));
  const between = dependencies
    .filter(({ ref }) => !tools.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => !tools.has(each)) }));
  return `${JSON.stringify({ ...rest, metadata: about, components: cleaned, dependencies: between }, undefined, 2)}\n`;
}

function isTool({ properties = [] }: Component): boolean {
  return properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');
}

if (import.meta.main) process.stdout.write(await softwareBill(AbortSignal.timeout(60_000)));
