import type { KubeObject } from '#kit/kube';
import { isJsonObject, listAt, textAt } from '../domain/json-value.ts';

/** A Pod of a workload, or the ReplicaSet in between. */
export interface Dependent extends KubeObject {
  readonly ownerUid: string;
}

export interface TrimmedEvent extends KubeObject {
  readonly aboutUid: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** Events that health is judged by. Of all others only the existence is kept. */
const TELLING = new Set(['FailedCreate', 'ProvisioningFailed', 'WaitForFirstConsumer']);

/** Keeps the owner of a Pod and why it does not run. */
export function trimPod(pod: KubeObject): Dependent {
  const status = {
    phase: textAt(pod, 'status', 'phase'),
    reason: textAt(pod, 'status', 'reason'),
    message: textAt(pod, 'status', 'message'),
    conditions: listAt(pod, 'status', 'conditions').filter((condition) =>
      ['PodScheduled', 'Ready'].includes(textAt(condition, 'type') ?? ''),
    ),
    initContainerStatuses: listAt(pod, 'status', 'initContainerStatuses').map(containerOf),
    containerStatuses: listAt(pod, 'status', 'containerStatuses').map(containerOf),
  };
  return { ...trimOwned(pod), status } as Dependent;
}

export function trimOwned({ apiVersion, kind, metadata }: KubeObject): Dependent {
  const ownerUid = metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? '';
  return { apiVersion, kind, metadata: smallMetadata(metadata), ownerUid };
}

export function trimEvent(event: KubeObject): TrimmedEvent {
  const { apiVersion, kind, metadata } = event;
  const reason = textAt(event, 'reason') ?? '';
  const isTelling = TELLING.has(reason);
  return {
    apiVersion,
    kind,
    metadata: smallMetadata(metadata),
    aboutUid: isTelling ? (textAt(event, 'involvedObject', 'uid') ?? '') : '',
    type: textAt(event, 'type') ?? '',
    reason,
    message: isTelling ? (textAt(event, 'message') ?? '') : '',
  };
}

function containerOf(status: unknown): object {
  const { name, image, ready, restartCount, state, lastState } = isJsonObject(status) ? status : {};
  return { name, image, ready, restartCount, state, lastState };
}

function smallMetadata({ name, namespace, uid, resourceVersion }: KubeObject['metadata']): KubeObject['metadata'] {
  return {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}
