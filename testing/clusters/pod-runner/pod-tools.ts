import { ApiAnswerError, type ApiClient } from '../api-client.ts';
import type { Pod } from './pod.ts';

export interface PodToolsDeps {
  readonly api: ApiClient;
  readonly pod: Pod;
  readonly podIp: string;
  readonly logOf: (container: string) => { readonly current: string; readonly previous: string };
}

/** Configures kwok for `kubectl logs`, `attach` and `port-forward` of this Pod. The configuration is deleted with the Pod. */
export async function createPodTools({ api, pod, podIp, logOf }: PodToolsDeps, signal: AbortSignal): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const logs = containers.map((container) => {
    const { current, previous } = logOf(container.name);
    return { containers: [container.name], logsFile: current, previousLogsFile: previous };
  });
  const ports = containers.flatMap((container) => (container.ports ?? []).map(({ containerPort }) => containerPort));
  const forwards = ports.map((port) => ({ ports: [port], target: { address: podIp, port } }));
  const metadata = { name, namespace, ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid }] };
  const create = async (kind: string, plural: string, spec: object): Promise<void> => {
    const path = `/apis/kwok.x-k8s.io/v1alpha1/namespaces/${namespace}/${plural}`;
    await api
      .send('POST', path, { apiVersion: 'kwok.x-k8s.io/v1alpha1', kind, metadata, spec }, signal)
      .catch(unlessThere);
  };
  await create('Logs', 'logs', { logs });
  const attaches = logs.map(({ containers: names, logsFile }) => ({ containers: names, logsFile }));
  await create('Attach', 'attaches', { attaches });
  await create('PortForward', 'portforwards', { forwards });
}

/** Ignores a conflict with the leftovers of an earlier Pod of the same name, which are about to be deleted. */
function unlessThere(error: unknown): void {
  if (!(error instanceof ApiAnswerError && error.status === 409)) throw error;
}
