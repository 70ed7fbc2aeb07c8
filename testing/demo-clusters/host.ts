import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roleBindings } from '#contexts/api-proxy';
import { ControlPlane } from '../clusters/control-plane.ts';
import { Etcd } from '../clusters/etcd.ts';
import { findProgram, type Program, whyUnavailable } from '../clusters/programs.ts';
import { POD_TOOLS } from '../clusters/simulated-nodes.ts';
import { startGuardian } from '../guardian.ts';
import { logToStderr } from '../log-to-stderr.ts';
import { PATIENCE_MS } from '../patience.ts';
import { ServerProcess, type ServerProcessOptions } from '../server-process.ts';

// Runs the clusters of `fleetshift demo --kubernetes`: `node host.ts FOLDER NAME...`. Their contents stay in the folder.
// Prints the clusters' addresses as one line of JSON. When its input ends, it stops everything it started and exits; a
// guardian does so if it is killed.
const [folder = '', ...names] = process.argv.slice(2);
const env = process.env;
// Looks for programs but does not build them: users of the demo should not wait for minutes unasked.
const missing = whyUnavailable('nodes', { ...env, PATH: '' });
if (missing === undefined) await run();
else say({ missing });

async function run(): Promise<void> {
  const find = (program: Program): Promise<string> => findProgram(program, { log: logToStderr, env });
  const nothing = await mkdtemp(join(tmpdir(), 'fleetshift-demo-'));
  const guardian = startGuardian(nothing);
  const processes: { readonly pid: number; stop(signal: NodeJS.Signals): Promise<void> }[] = [];
  const adopt = (started: (typeof processes)[number]): void => {
    processes.push(started);
    guardian.watch(processes.map(({ pid }) => pid));
  };
  const spawn = (options: ServerProcessOptions): ServerProcess => {
    const started = new ServerProcess(options);
    adopt(started);
    return started;
  };
  const planes: ControlPlane[] = [];
  const close = async (): Promise<void> => {
    await Promise.allSettled(planes.map((plane) => plane.close()));
    await Promise.all(processes.map((each) => each.stop('SIGKILL')));
    await rm(nothing, { recursive: true, force: true });
    await guardian.release();
  };
  process.stdin.resume().on('end', () => {
    close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
  const etcd = await Etcd.start({ program: await find('etcd'), folder, spawn });
  for (const name of names) {
    await forgetWhatIsMadeAtEachStart(etcd.address, name);
    const options = {
      name,
      size: 'nodes',
      folder: join(folder, name),
      etcd: etcd.address,
      apiServerFlags: [],
    } as const;
    const plane = await ControlPlane.start({ ...options, program: find, spawn, adopt });
    planes.push(plane);
    await bindRoles(plane);
  }
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf(planes), { mode: 0o600 });
  say({ kubeconfig, kubectl: await find('kubectl') });
}

/**
 * Removes objects that a control plane with simulated nodes creates at every start, and that must not exist yet, as those
 * of the previous start would. Pods and other objects stay.
 */
async function forgetWhatIsMadeAtEachStart(etcd: string, name: string): Promise<void> {
  const keys = [
    ...POD_TOOLS.map(({ plural }) => `/${name}/apiextensions.k8s.io/customresourcedefinitions/${plural}.kwok.x-k8s.io`),
    `/${name}/minions/node-1`,
    // Held by the previous simulator; the new one would wait until it expires.
    `/${name}/leases/kube-node-lease/node-1`,
  ];
  for (const key of keys) {
    const answer = await fetch(`${etcd}/v3/kv/deleterange`, {
      method: 'POST',
      body: JSON.stringify({ key: Buffer.from(key).toString('base64') }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!answer.ok) throw new Error(`forget ${key} of an earlier start: etcd said ${await answer.text()}`);
  }
}

/**
 * Binds the roles as an agent's installer would: without them kubectl may do nothing through the platform. Bindings of an
 * earlier start stay.
 */
async function bindRoles({ api }: ControlPlane): Promise<void> {
  const path = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
  const signal = AbortSignal.timeout(PATIENCE_MS);
  for (const binding of roleBindings()) {
    if ((await api.find(`${path}/${binding.metadata.name}`, signal)) === undefined) {
      await api.send('POST', path, binding, signal);
    }
  }
}

/** One kubeconfig for all clusters, with a context for each, named after it. */
function kubeconfigOf(planes: readonly ControlPlane[]): string {
  const each = planes.map(({ files }, index) => ({ name: names[index] ?? '', files }));
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: each.map(({ name, files }) => ({
      name,
      cluster: { server: files.server, 'certificate-authority-data': base64(files.authority.cert) },
    })),
    users: each.map(({ name, files }) => ({ name, user: { token: files.adminToken } })),
    contexts: each.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
    'current-context': names[0] ?? '',
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

function say(facts: object): void {
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}
