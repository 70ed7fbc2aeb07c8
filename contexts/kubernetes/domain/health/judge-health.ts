import type { HealthRule } from '#protocol/delivery';
import { deletionMessage } from '../deletion-message.ts';
import { textAt } from '../json-value.ts';
import { groupOf, type KubeObject } from '../kube-object.ts';
import { genericHealth } from './generic-health.ts';
import { AVAILABLE, degraded, type ObjectHealth, type ObjectView, progressing, unknown } from './object-health.ts';
import { podHealth } from './pod-health.ts';
import {
  apiServiceHealth,
  autoscalerHealth,
  claimHealth,
  definitionHealth,
  disruptionBudgetHealth,
  ingressHealth,
  serviceHealth,
} from './resource-health.ts';
import {
  cronJobHealth,
  daemonSetHealth,
  deploymentHealth,
  jobHealth,
  replicaSetHealth,
  statefulSetHealth,
} from './workload-health.ts';

/** Whether an object satisfies a rule; a string says why the rule has no result. */
export type RuleEvaluator = (rule: string, object: KubeObject) => boolean | string;

export interface Judgement {
  readonly rules: readonly HealthRule[];
  readonly evaluate: RuleEvaluator;
}

const BY_KIND: Readonly<Record<string, (view: ObjectView) => ObjectHealth>> = {
  'apps/Deployment': deploymentHealth,
  'apps/StatefulSet': statefulSetHealth,
  'apps/DaemonSet': daemonSetHealth,
  'apps/ReplicaSet': replicaSetHealth,
  'batch/Job': jobHealth,
  'batch/CronJob': cronJobHealth,
  '/Pod': podHealth,
  '/PersistentVolumeClaim': claimHealth,
  '/Service': serviceHealth,
  '/Namespace': namespaceHealth,
  'networking.k8s.io/Ingress': ingressHealth,
  'apiextensions.k8s.io/CustomResourceDefinition': definitionHealth,
  'apiregistration.k8s.io/APIService': apiServiceHealth,
  'autoscaling/HorizontalPodAutoscaler': autoscalerHealth,
  'policy/PodDisruptionBudget': disruptionBudgetHealth,
};

/**
 * Checks the built-in rule of the kind first, then the rules of the deployment. The object is healthy only if all pass.
 * Without a view it is missing.
 */
export function judgeHealth(view: ObjectView | undefined, { rules, evaluate }: Judgement): ObjectHealth {
  if (view === undefined) return degraded('Missing', 'it does not exist');
  const { object } = view;
  const leaving = deletionMessage(object);
  if (leaving !== undefined) return progressing('Terminating', `it ${leaving}`);
  const group = groupOf(object.apiVersion);
  const byKind = (BY_KIND[`${group}/${object.kind}`] ?? genericHealth)(view);
  if (byKind.state === 'Progressing' || byKind.state === 'Degraded') return byKind;
  const own = rules.filter(({ apiGroup = group, kind }) => apiGroup === group && kind === object.kind);
  for (const { healthy } of own) {
    const kept = evaluate(healthy, object);
    if (typeof kept === 'string') return unknown('HealthRule', `health rule ${healthy} has no result: ${kept}`);
    if (!kept) return progressing('HealthRule', `health rule ${healthy} is not satisfied`);
  }
  return own.length === 0 ? byKind : AVAILABLE;
}

function namespaceHealth({ object }: ObjectView): ObjectHealth {
  return textAt(object, 'status', 'phase') === 'Terminating'
    ? progressing('Terminating', 'it is being deleted')
    : AVAILABLE;
}
