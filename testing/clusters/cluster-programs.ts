import type { ClusterFiles } from './cluster-files.ts';
import type { ClusterSize } from './programs.ts';
import { POD_TOOLS } from './simulated-nodes.ts';

// The command line of each program of a cluster.

export interface ApiServerFlags {
  readonly files: ClusterFiles;
  readonly size: ClusterSize;
  readonly etcd: string;
  readonly name: string;
  readonly port: number;
  readonly more: readonly string[];
}

export function apiServerFlags({ files, size, etcd, name, port, more }: ApiServerFlags): string[] {
  return [
    `--etcd-servers=${etcd}`,
    `--etcd-prefix=/${name}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    // The address advertised to Pods, none of which use it. Without this flag the server looks for an address, and some
    // machines have none.
    '--advertise-address=10.255.255.254',
    '--endpoint-reconciler-type=none',
    `--tls-cert-file=${files.path('server.crt')}`,
    `--tls-private-key-file=${files.path('server.key')}`,
    `--client-ca-file=${files.path('ca.crt')}`,
    `--token-auth-file=${files.path('tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${files.path('service-accounts.pub')}`,
    `--service-account-signing-key-file=${files.path('service-accounts.key')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    `--audit-policy-file=${files.path('audit-policy.json')}`,
    `--audit-log-path=${files.path('audit.log')}`,
    '--allow-privileged=true',
    `--kubelet-certificate-authority=${files.path('ca.crt')}`,
    `--kubelet-client-certificate=${files.path('kubelet-client.crt')}`,
    `--kubelet-client-key=${files.path('kubelet-client.key')}`,
    '--kubelet-preferred-address-types=InternalIP',
    // Without controllers there are no service accounts, and this plugin would refuse every Pod.
    ...(size === 'apiserver' ? ['--disable-admission-plugins=ServiceAccount'] : []),
    ...more,
  ];
}

export function controllerManagerFlags(files: ClusterFiles): string[] {
  return [
    ...asAdmin(files),
    `--root-ca-file=${files.path('ca.crt')}`,
    `--service-account-private-key-file=${files.path('service-accounts.key')}`,
    `--cluster-signing-cert-file=${files.path('ca.crt')}`,
    `--cluster-signing-key-file=${files.path('ca.key')}`,
  ];
}

export function schedulerFlags(files: ClusterFiles): string[] {
  return asAdmin(files);
}

export function kwokFlags(files: ClusterFiles, port: number, config: string): string[] {
  return [
    `--kubeconfig=${files.path('admin.kubeconfig')}`,
    `--config=${config}`,
    '--manage-all-nodes',
    '--node-ip=127.0.0.1',
    `--node-port=${port}`,
    `--server-address=127.0.0.1:${port}`,
    `--tls-cert-file=${files.path('kubelet.crt')}`,
    `--tls-private-key-file=${files.path('kubelet.key')}`,
    // The lease that keeps the node alive: without it, controllers consider the node dead after 50 s.
    '--node-lease-duration-seconds=40',
    `--enable-crds=${POD_TOOLS.map(({ kind }) => kind).join()}`,
  ];
}

/** Without rate limits, without leader election, and without a listener. */
function asAdmin(files: ClusterFiles): string[] {
  return [
    `--kubeconfig=${files.path('admin.kubeconfig')}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--kube-api-qps=1000',
    '--kube-api-burst=2000',
  ];
}
