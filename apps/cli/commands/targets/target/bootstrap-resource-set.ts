import { readFileSync } from 'node:fs';
import type { Values } from '#kit/config';
import { CORE, createKubeClient, type KubeClient, loadKubeConfig, type Resource } from '#kit/kube';
import { TOKEN_PREFIXES } from '#kit/std';
import { MintedBootstrapTokenSchema } from '#protocol/api';
import { AGENT_NAMESPACE, type InstalledObject } from '#runtime/install/agent-install';
import { agentObjects } from '#runtime/install/agent-objects';
import packageJson from '../../../../../package.json' with { type: 'json' };
import { type ClientCommand, readClientCommand } from '../../../client/client-command.ts';
import { EXIT, type ExitCode, type Io, UsageError } from '../../../command.ts';
import { contextIn } from '../../../config-file/cli-config.ts';
import { configFilePath, readConfigFile } from '../../../config-file/config-file.ts';
import { bootstrapTokenKind } from '../../../kinds/access/bootstrap-token-kind.ts';
import { placeOf } from '../../../kinds/place.ts';
import { renderData } from '../../../output/render-data.ts';
import { renderTime } from '../../../output/render-time.ts';
import { bootstrapResourceSet, yamlOf } from './bootstrap-resource-set-objects.ts';
import { BOOTSTRAP_SET_SETTINGS } from './bootstrap-resource-set-settings.ts';
import { checkRights } from './install-manifest.ts';

type SetValues = Values<typeof BOOTSTRAP_SET_SETTINGS>;

const SETS: Resource = {
  group: 'addons.cluster.x-k8s.io',
  version: 'v1beta2',
  plural: 'clusterresourcesets',
  kind: 'ClusterResourceSet',
  namespaced: true,
};
const RESOURCES: Readonly<Record<string, Resource>> = { Secret: CORE.secrets, ClusterResourceSet: SETS };

/** Standard output contains only the manifest for the management cluster. */
export async function bootstrapSet(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const command = readClientCommand({ settings: BOOTSTRAP_SET_SETTINGS, expects: ['NAME'] }, args, io);
  const { values, positionals, api } = command;
  const [name = ''] = positionals;
  checkWords(values);
  const origin = await api.origin(signal);
  const objectsWith = (token: string) => objectsOf({ name, values, origin, token }, io);
  const management = values.apply ? await openManagement(values, io, signal) : undefined;
  try {
    // Values that the management cluster would refuse are refused before a token is created.
    await applyAll(management, objectsWith(`${TOKEN_PREFIXES.bootstrap}dry_run`), { dryRun: true }, signal);
    const minted = await mintToken(command, name, signal);
    const objects = objectsWith(minted.token);
    await applyAll(management, objects, { dryRun: false }, signal);
    if (management === undefined) io.out(printed(values, objects));
    io.err(said(values, name, minted));
    return EXIT.ok;
  } finally {
    await management?.close();
  }
}

function checkWords(values: SetValues): void {
  const { selector, apply, kubeconfig, kubeContext } = values;
  if (selector.length === 0) {
    throw new UsageError('--selector is required, such as --selector fleet=edge: a set without one matches nothing');
  }
  checkRights(values, AGENT_NAMESPACE);
  if (!apply && (kubeconfig !== undefined || kubeContext !== undefined)) {
    throw new UsageError('--kubeconfig and --kube-context require --apply');
  }
}

interface Wanted {
  readonly name: string;
  readonly values: SetValues;
  readonly origin: string;
  readonly token: string;
}

function objectsOf({ name, values, origin, token }: Wanted, io: Io): readonly InstalledObject[] {
  const objects = agentObjects({
    ...values,
    namespace: AGENT_NAMESPACE,
    platform: values.platform?.origin ?? origin,
    // The manifest is the same for all Clusters and cannot contain anything specific: each agent takes the name of its
    // own.
    target: undefined,
    token,
    authority: authorityFor(values, origin, io),
  });
  return bootstrapResourceSet({
    name,
    namespace: values.namespace,
    selector: Object.fromEntries(values.selector.map(({ key, value }) => [key, value])),
    objects,
  });
}

/** The targets that it creates carry its name as a label. */
async function mintToken(
  { api, values, contextWorkspace }: ClientCommand<typeof BOOTSTRAP_SET_SETTINGS>,
  correlation: string,
  signal: AbortSignal,
) {
  const place = placeOf(bootstrapTokenKind, { workspace: values.workspace }, contextWorkspace);
  const body = { uses: values.uses, ttl: values.expires, targetType: 'kubernetes', correlation };
  return await api.post(MintedBootstrapTokenSchema, { path: bootstrapTokenKind.list(place).path, body }, signal);
}

async function openManagement(
  { kubeconfig: file, kubeContext: context }: SetValues,
  { environment }: Io,
  signal: AbortSignal,
): Promise<KubeClient> {
  const config = await loadKubeConfig({ environment, ...(file && { file }), ...(context && { context }) }, signal);
  return createKubeClient({ config, userAgent: `fleetshift/${packageJson.version}` });
}

async function applyAll(
  client: KubeClient | undefined,
  objects: readonly InstalledObject[],
  { dryRun }: { readonly dryRun: boolean },
  signal: AbortSignal,
): Promise<void> {
  if (client === undefined) return;
  for (const object of objects) {
    const { name, namespace = '' } = object.metadata;
    const resource = RESOURCES[object.kind];
    if (resource === undefined) throw new Error(`apply ${object.kind}: no resource path`);
    await client.apply({ resource, namespace, name }, object, { fieldManager: 'fleetshift', dryRun }, signal);
  }
}

/** The authority that vouches for the platform here also does so in the clusters. */
function authorityFor({ caFile, context: name }: SetValues, origin: string, { environment }: Io): string | undefined {
  if (caFile !== undefined) return readFileSync(caFile, 'utf8');
  const context = contextIn(readConfigFile(configFilePath(environment)), name);
  return context !== undefined && new URL(context.server).origin === origin ? context.ca : undefined;
}

function printed({ output }: SetValues, objects: readonly InstalledObject[]): string {
  // kubectl accepts only one JSON document, so several become a list.
  return output === 'json' ? renderData('json', { apiVersion: 'v1', kind: 'List', items: objects }) : yamlOf(objects);
}

function said(
  { apply, namespace, uses }: SetValues,
  name: string,
  minted: { readonly name: string; readonly expireTime: string },
): string {
  const done = apply
    ? `clusterresourceset/${name} applied in ${namespace}`
    : 'apply this to the management cluster with: kubectl apply --server-side -f -; it is secret, and is not shown again';
  return [
    `bootstraptoken/${minted.name} created, for up to ${uses} clusters until ${renderTime(minted.expireTime)}`,
    done,
    `list its targets with: fleetshift get targets -l fleetshift.io/correlation=${name}`,
    '',
  ].join('\n');
}
