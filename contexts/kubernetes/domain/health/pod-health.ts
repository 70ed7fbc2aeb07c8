import { at, listAt, numberAt, textAt } from '../json-value.ts';
import type { KubeObject } from '../kube-object.ts';
import { conditionOf } from './conditions.ts';
import { AVAILABLE, degraded, type ObjectHealth, type ObjectView, progressing, worstOf } from './object-health.ts';

const NO_IMAGE = new Set(['ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull']);
const NO_IMAGE_YET = new Set(['ErrImagePull', 'RegistryUnavailable', 'ImageInspectError']);
const NOT_STARTED = new Set(['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']);

export function podHealth({ object }: ObjectView): ObjectHealth {
  const phase = textAt(object, 'status', 'phase');
  if (phase === 'Succeeded') return AVAILABLE;
  if (phase === 'Failed') {
    const [reason = '', message = ''] = [textAt(object, 'status', 'reason'), textAt(object, 'status', 'message')];
    return (
      podTrouble([object]) ??
      degraded('PodFailed', [reason || 'a container failed', message].filter(Boolean).join(': '))
    );
  }
  if (conditionOf(object, 'Ready')?.status === 'True') return AVAILABLE;
  return podTrouble([object]) ?? progressing('NotReady', 'it is not ready yet');
}

/**
 * The worst problem that keeps Pods from running. Pods are not named, because their names are generated and change.
 *
 * DECISION: missing node capacity and a failed first pull count as progress, because autoscalers and registries fix
 * them, and a rollout that waits has a deadline. Once Kubernetes itself backs off, it is a defect.
 */
export function podTrouble(pods: readonly KubeObject[]): ObjectHealth | undefined {
  return worstOf(pods.flatMap((pod) => [...containerTroubles(pod), ...schedulingTrouble(pod)]).sort(byMessage));
}

function schedulingTrouble(pod: KubeObject): ObjectHealth[] {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status !== 'False' || scheduled.reason !== 'Unschedulable') return [];
  return [progressing('Unschedulable', `no node can run a Pod: ${scheduled.message}`)];
}

function containerTroubles(pod: KubeObject): ObjectHealth[] {
  const statuses = ['initContainerStatuses', 'containerStatuses'].flatMap((field) => listAt(pod, 'status', field));
  return statuses.flatMap((status) => {
    const trouble = containerTrouble(status);
    return trouble === undefined ? [] : [trouble];
  });
}

function containerTrouble(status: unknown): ObjectHealth | undefined {
  const name = `container ${textAt(status, 'name')}`;
  const waiting = textAt(status, 'state', 'waiting', 'reason') ?? '';
  const image = textAt(status, 'image');
  if (NO_IMAGE.has(waiting)) return degraded('ImagePull', `${name}: the image ${image} cannot be pulled`);
  if (NO_IMAGE_YET.has(waiting)) return progressing('ImagePull', `${name}: the image ${image} could not be pulled yet`);
  if (waiting === 'CrashLoopBackOff') return degraded('CrashLoop', `${name} keeps crashing${howItEnded(status)}`);
  if (NOT_STARTED.has(waiting)) {
    return progressing(waiting, `${name} cannot start: ${textAt(status, 'state', 'waiting', 'message') ?? waiting}`);
  }
  return undefined;
}

function howItEnded(status: unknown): string {
  const ended = at(status, 'lastState', 'terminated') ?? at(status, 'state', 'terminated');
  const code = numberAt(ended, 'exitCode');
  if (code === undefined) return '';
  const reason = textAt(ended, 'reason') ?? '';
  return reason === '' || reason === 'Error' ? `: exit code ${code}` : `: ${reason}, exit code ${code}`;
}

function byMessage(one: ObjectHealth, two: ObjectHealth): number {
  return one.message < two.message ? -1 : 1;
}
