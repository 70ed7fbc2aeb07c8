import { isAbsolute, resolve } from 'node:path';
import { KubeError } from '../kube-error.ts';
import type { Environment, ExecPlugin } from './kube-config.ts';
import type { Entry } from './kubeconfig-document.ts';

const VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const;
/** The name of the cluster extension with additional settings for plugins. */
const CONFIG_EXTENSION = 'client.authentication.k8s.io/exec';

/** The `exec` of a user, if it has one that runs without interaction. */
export function readExecPlugin(user: Entry, cluster: Entry, environment: Environment): ExecPlugin | undefined {
  const exec = user.fields.part('exec');
  if (!exec) return undefined;
  const unsupported = (why: string): KubeError => new KubeError('CONFIG_UNSUPPORTED', `${exec.where} ${why}`);
  if (user.folder === undefined) throw unsupported('runs a program, which is allowed only in a kubeconfig from a file');
  const apiVersion = VERSIONS.find((version) => version === exec.text('apiVersion'));
  if (!apiVersion)
    throw unsupported(`speaks ${exec.text('apiVersion') ?? 'an unnamed version'}, not ${VERSIONS.join(' or ')}`);
  if (exec.text('interactiveMode') === 'Always') throw unsupported('requires interaction');
  const command = exec.text('command');
  if (command === undefined) throw new KubeError('CONFIG_INVALID', `${exec.where} has no command`);
  const installHint = exec.text('installHint');
  return {
    apiVersion,
    command: command.includes('/') && !isAbsolute(command) ? resolve(user.folder, command) : command,
    args: exec.texts('args'),
    env: Object.fromEntries(exec.parts('env').map((pair) => [pair.text('name') ?? '', pair.text('value') ?? ''])),
    environment,
    ...(exec.flag('provideClusterInfo') && { cluster: clusterInfo(cluster) }),
    ...(installHint !== undefined && { installHint }),
  };
}

function clusterInfo({ fields }: Entry): Record<string, unknown> {
  const names = [
    'server',
    'tls-server-name',
    'insecure-skip-tls-verify',
    'certificate-authority-data',
    'proxy-url',
    'disable-compression',
  ];
  const known = names.map((name) => [name, fields.value(name)] as const).filter(([, value]) => value !== undefined);
  const config = fields.parts('extensions').find((extension) => extension.text('name') === CONFIG_EXTENSION);
  return { ...Object.fromEntries(known), ...(config && { config: config.value('extension') }) };
}
