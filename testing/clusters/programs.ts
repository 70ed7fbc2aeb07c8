import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type FindOptions, hasGo } from '../go-program.ts';
import { goVersion, hasProgram, prepareProgram, type TestProgram } from '../test-programs.ts';

const CLUSTER_SIZES = ['apiserver', 'controllers', 'nodes'] as const;
/**
 * `apiserver` stores objects and does not act on them. `controllers` also deletes namespaces, collects garbage and
 * creates the Pods of Deployments. `nodes` also runs these Pods: simulated, or as real processes if they use our own
 * image.
 */
export type ClusterSize = (typeof CLUSTER_SIZES)[number];

export type Program = Exclude<TestProgram, 'temporal-server' | 'helm' | 'cluster-api'>;

const API_SERVER: readonly Program[] = ['etcd', 'kube-apiserver', 'kubectl'];
const CONTROLLERS: readonly Program[] = [...API_SERVER, 'kube-controller-manager'];
export const PROGRAMS_OF: Readonly<Record<ClusterSize, readonly Program[]>> = {
  apiserver: API_SERVER,
  controllers: CONTROLLERS,
  nodes: [...CONTROLLERS, 'kube-scheduler', 'kwok'],
};

/** The path of a program in `$KUBEBUILDER_ASSETS`, or else in the user's cache, where it is built when it is missing. */
export async function findProgram(program: Program, { log, env }: FindOptions): Promise<string> {
  const given = givenProgram(program, env);
  if (given !== undefined) return given;
  const found = await prepareProgram(program, { log, env });
  if (found === undefined) throw new Error(`find ${program}: ${whyMissing([program], env)}`);
  return found;
}

/** The reason why clusters of this size are not available, or undefined. A program that can be built counts as available. */
export function whyUnavailable(size: ClusterSize, env: NodeJS.ProcessEnv): string | undefined {
  const missing = PROGRAMS_OF[size].filter(
    (program) => givenProgram(program, env) === undefined && !hasProgram(program, env),
  );
  return missing.length === 0 || hasGo(env) ? undefined : whyMissing(missing, env);
}

function whyMissing(programs: readonly Program[], env: NodeJS.ProcessEnv): string {
  const assets = env['KUBEBUILDER_ASSETS'];
  return (
    `there is no ${programs.join(', ')}${assets ? ` in ${assets}` : ''}; install Go ${goVersion()} or newer, with which they are ` +
    'built, or set KUBEBUILDER_ASSETS to a folder that has them'
  );
}

function givenProgram(program: Program, env: NodeJS.ProcessEnv): string | undefined {
  const folder = env['KUBEBUILDER_ASSETS'];
  if (!folder) return undefined;
  const file = join(folder, program);
  return existsSync(file) ? file : undefined;
}
