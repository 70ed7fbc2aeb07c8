import { type Environment, type Resolved, resolveSettings } from '#kit/config';
import { isLoopback } from '../../../platform/loopback.ts';
import { ApiClient } from '../../client/api-client.ts';
import { ClientError } from '../../client/client-error.ts';
import type { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { findPlatform } from '../../client/find-platform.ts';
import { splitArguments } from '../../client/split-arguments.ts';
import { type ExitCode, type Io, UsageError } from '../../command.ts';
import { eachThing } from '../../each-thing.ts';
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
  standingBy: 'added; an agent that is closer serves it',
  notYet: 'added; not yet served',
};

/** Makes targets of the clusters in a kubeconfig, served by the platform itself. */
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
      if (values.serviceAccount) io.err(`${context}: made the service account fleetshift-platform\n`);
      const done = await handOver(api, { target: { name, workspace, labels }, config, waitMs: values.wait }, signal);
      io.out(`target/${name} ${DONE[done]}\n`);
    },
  }));
  return await eachThing(tasks, io, signal);
}

const NOT_ADMIN =
  '; these credentials may not do everything there, and what they may not is refused when it is delivered';

const NOT_BOUND =
  'these credentials may not bind the roles of the platform, so that kubectl through it is refused there';

const OUT_OF_REACH =
  'this address is of your own machine, and the platform is on another: it may not reach the cluster, or reach another one';

/** Local clusters are at addresses that mean something on this machine only. */
async function isOutOfReach(api: ApiClient, { config }: CheckedCluster, signal: AbortSignal): Promise<boolean> {
  const isHere = (address: string): boolean => isLoopback(new URL(address).hostname.replace(/^\[|\]$/g, ''));
  return isHere(config.server) && !isHere(await api.origin(signal));
}

function readCommand(args: readonly string[], environment: Environment) {
  const { positionals, flags } = splitArguments(ADD_SETTINGS, args);
  const [extra] = positionals;
  if (extra !== undefined) throw new UsageError(`"${extra}": say contexts with --context, and names with --name`);
  // What the platform reads from the same environment is not ours to judge.
  const ignoredVariables = [/^FLEETSHIFT_/];
  const options = { settings: ADD_SETTINGS, args: flags, environment, ignoredVariables, readText: () => '' };
  const resolved = resolveSettings(options);
  const { values } = resolved;
  const context = values.platformContext ?? environment['FLEETSHIFT_CONTEXT'];
  const client = { ...resolved, values: { ...values, context } } as unknown as Resolved<typeof CLIENT_SETTINGS>;
  const { connect, workspace } = findPlatform(client, environment);
  return { api: new ApiClient(connect), values, workspace: values.workspace ?? workspace ?? 'root' };
}

/** The contexts that are meant, each with the name of its target. */
function wantedTargets({ context, allContexts, kubeconfig, name }: Values, environment: Environment): Wanted[] {
  const known = kubeconfigContexts(kubeconfig, environment);
  if (allContexts && context !== undefined) throw new UsageError('say either --context or --all-contexts');
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
  if (twice !== undefined) throw new UsageError(`two targets would be called ${twice.name}; say --name for each`);
  return wanted;
}

function noContext(names: readonly string[]): never {
  throw new UsageError(`say --context or --all-contexts: the kubeconfig has ${names.join(', ') || 'none'}`);
}

function nameOf(context: string): string {
  const name = targetNameOf(context);
  if (name === undefined) throw new UsageError(`${context} gives no name for a target; say --name`);
  return name;
}

function labelsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((each) => {
      const at = each.indexOf('=');
      if (at < 1) throw new UsageError(`"${each}" is no label: say KEY=VALUE`);
      return [each.slice(0, at), each.slice(at + 1)];
    }),
  );
}

type Checks = ReadonlyMap<string, Promise<CheckedCluster | { readonly error: unknown }>>;

/** All at once: of many that do not answer, one waits as long as all. */
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

/** Whoever named both is told; who asked for all has several users of one cluster, which is nothing special. */
function passOver({ allContexts }: Values, { io, context, twin }: Twin): void {
  const why = `it is the same cluster as ${twin}`;
  if (!allContexts) throw new ClientError('CONFLICT', why);
  io.err(`${context}: passed over, since ${why}\n`);
}
