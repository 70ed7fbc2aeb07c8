import { type Environment, type Resolved, resolveSettings } from '#kit/config';
import { isLoopback } from '#runtime/process/loopback';
import { ApiClient } from '../../../client/api-client.ts';
import { ClientError } from '../../../client/client-error.ts';
import type { CLIENT_SETTINGS } from '../../../client/client-settings.ts';
import { findPlatform } from '../../../client/find-platform.ts';
import { splitArguments } from '../../../client/split-arguments.ts';
import { type ExitCode, type Io, UsageError } from '../../../command.ts';
import { eachThing } from '../../../each-thing.ts';
import { bindRoles } from './add/bind-roles.ts';
import { type CheckedCluster, checkCluster } from './add/check-cluster.ts';
import { type HandedOver, handOver } from './add/hand-over.ts';
import { kubeconfigContexts } from './add/kubeconfig-contexts.ts';
import { makeAccount } from './add/make-account.ts';
import { targetNameOf } from './add/target-name-of.ts';
import { ADD_SETTINGS } from './add-settings.ts';

type Values = Resolved<typeof ADD_SETTINGS>['values'];

interface Wanted {
  readonly context: string;
  readonly name: string;
}

const DONE: Readonly<Record<HandedOver, string>> = {
  serving: 'added',
  standingBy: 'added; an agent closer to it serves it',
  notYet: 'added; not yet served',
};

/** Creates targets for the clusters in a kubeconfig, served by the platform itself. */
export async function addTargets(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { api, values, workspace } = readCommand(args, io.environment);
  const wanted = wantedTargets(values, io.environment);
  const labels = labelsOf(values.label);
  const checks = checkAll(wanted, values, { io, signal });
  const seen = new Map<string, string>();
  const tasks = wanted.map(({ context, name }) => ({
    name: `context ${context}`,
    run: async () => {
      const cluster = await checked(checks, context);
      const twin = seen.get(cluster.instance);
      if (twin !== undefined) return passOver(values, { io, context, twin });
      seen.set(cluster.instance, context);
      io.err(`${context}: ${cluster.version} at ${cluster.config.server}${cluster.isAdmin ? '' : NOT_ADMIN}\n`);
      if (await isOutOfReach(api, cluster, signal)) io.err(`${context}: ${OUT_OF_REACH}\n`);
      if (values.apiProxy && !(await bindRoles(cluster.config, signal))) io.err(`${context}: ${NOT_BOUND}\n`);
      const config = values.serviceAccount
        ? await makeAccount(cluster.config, values.clusterRole, signal)
        : cluster.config;
      if (values.serviceAccount) io.err(`${context}: created the service account fleetshift-platform\n`);
      const done = await handOver(api, { target: { name, workspace, labels }, config, waitMs: values.wait }, signal);
      io.out(`target/${name} ${DONE[done]}\n`);
    },
  }));
  return await eachThing(tasks, io, signal);
}

const NOT_ADMIN = '; these credentials are not cluster-admin, and deliveries that need more are refused';

const NOT_BOUND =
  'these credentials may not bind the roles of the platform, so kubectl through the platform is refused there';

const OUT_OF_REACH =
  'this is a local address, and the platform is on another machine: it may not reach the cluster, or reach another one';

/** Local clusters have addresses that are valid on this machine only. */
async function isOutOfReach(api: ApiClient, { config }: CheckedCluster, signal: AbortSignal): Promise<boolean> {
  const isHere = (address: string): boolean => isLoopback(new URL(address).hostname.replace(/^\[|\]$/g, ''));
  return isHere(config.server) && !isHere(await api.origin(signal));
}

function readCommand(args: readonly string[], environment: Environment) {
  const { positionals, flags } = splitArguments(ADD_SETTINGS, args);
  const [extra] = positionals;
  if (extra !== undefined)
    throw new UsageError(`unexpected argument "${extra}": name contexts with --context, and targets with --name`);
  // The environment may also contain settings of the platform; unknown variables are not an error here.
  const ignoredVariables = [/^FLEETSHIFT_/];
  const options = { settings: ADD_SETTINGS, args: flags, environment, ignoredVariables, readText: () => '' };
  const resolved = resolveSettings(options);
  const { values } = resolved;
  const context = values.platformContext ?? environment['FLEETSHIFT_CONTEXT'];
  const client = { ...resolved, values: { ...values, context } } as unknown as Resolved<typeof CLIENT_SETTINGS>;
  const { connect, workspace } = findPlatform(client, environment);
  return { api: new ApiClient(connect), values, workspace: values.workspace ?? workspace ?? 'root' };
}

/** The selected contexts, each with the name of its target. */
function wantedTargets({ context, allContexts, kubeconfig, name }: Values, environment: Environment): Wanted[] {
  const known = kubeconfigContexts(kubeconfig, environment);
  if (allContexts && context !== undefined) throw new UsageError('--context and --all-contexts: choose one');
  const contexts = allContexts ? known.names : (context ?? [known.current ?? noContext(known.names)]);
  const strange = contexts.find((each) => !known.names.includes(each));
  if (strange !== undefined) {
    throw new UsageError(`the kubeconfig has no context ${strange}; it has ${known.names.join(', ') || 'none'}`);
  }
  if (name.length > 0 && name.length !== contexts.length) {
    throw new UsageError(`there are ${contexts.length} contexts and ${name.length} names`);
  }
  const wanted = contexts.map((each, index) => ({ context: each, name: name[index] ?? nameOf(each) }));
  const twice = wanted.find((each, index) => wanted.findIndex((other) => other.name === each.name) < index);
  if (twice !== undefined) throw new UsageError(`two targets would have the name ${twice.name}; use --name for each`);
  return wanted;
}

function noContext(names: readonly string[]): never {
  throw new UsageError(`use --context or --all-contexts: the kubeconfig has ${names.join(', ') || 'none'}`);
}

function nameOf(context: string): string {
  const name = targetNameOf(context);
  if (name === undefined) throw new UsageError(`${context} cannot be turned into a target name; use --name`);
  return name;
}

function labelsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((each) => {
      const at = each.indexOf('=');
      if (at < 1) throw new UsageError(`"${each}" is not a label of the form KEY=VALUE`);
      return [each.slice(0, at), each.slice(at + 1)];
    }),
  );
}

type Checks = ReadonlyMap<string, Promise<CheckedCluster | { readonly error: unknown }>>;

/** In parallel, so that several clusters that do not answer cost only one timeout. */
function checkAll(
  wanted: readonly Wanted[],
  { kubeconfig, serviceAccount: makesAccount }: Values,
  { io, signal }: { readonly io: Io; readonly signal: AbortSignal },
): Checks {
  const { environment } = io;
  return new Map(
    wanted.map(({ context }) => {
      const check = checkCluster({ context, kubeconfig, environment, makesAccount }, signal);
      return [context, check.catch((error: unknown) => ({ error }))];
    }),
  );
}

async function checked(checks: Checks, context: string): Promise<CheckedCluster> {
  const found = await checks.get(context);
  if (found === undefined || 'error' in found) throw found?.error;
  return found;
}

interface Twin {
  readonly io: Io;
  readonly context: string;
  readonly twin: string;
}

/** Naming two contexts of one cluster is an error. With --all-contexts it is normal to have several users of one cluster. */
function passOver({ allContexts }: Values, { io, context, twin }: Twin): void {
  const why = `it is the same cluster as ${twin}`;
  if (!allContexts) throw new ClientError('CONFLICT', why);
  io.err(`${context}: skipped, because ${why}\n`);
}
