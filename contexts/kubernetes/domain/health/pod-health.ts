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
      degraded('PodFailed', [reason || 'a container ended badly', message].filter(Boolean).join(': '))
    );
  }
  if (conditionOf(object, 'Ready')?.status === 'True') return AVAILABLE;
  return podTrouble([object]) ?? progressing('NotReady', 'it is not ready yet');
}

/**
 * What keeps Pods from doing their work, the worst of it. Pods are not named: their names are made up, and change.
 *
 * DECISION: no room on nodes and a first pull that went wrong are progress, since autoscalers and registries mend them; who
 * waits for them has a deadline. What Kubernetes itself has begun to back off from is a defect.
 */
export function podTrouble(pods: readonly KubeObject[]): ObjectHealth | undefined {
  return worstOf(pods.flatMap((pod) => [...containerTroubles(pod), ...schedulingTrouble(pod)]).sort(byMessage));
}

function schedulingTrouble(pod: KubeObject): ObjectHealth[] {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status !== 'False' || scheduled.reason !== 'Unschedulable') return [];
  return [progressing('Unschedulable', `no node takes a Pod: ${scheduled.message}`)];
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
  if (waiting === 'CrashLoopBackOff') return degraded('CrashLoop', `${name} ends again and again${howItEnded(status)}`);
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
