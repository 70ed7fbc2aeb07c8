import { CORE } from '../../client/core-resources.ts';
import type { Resource } from '../../client/kube-object.ts';

export interface FakeResource extends Resource {
  /** Has a `status` that is written by its own subresource only. */
  readonly status?: boolean;
  /** Has a `scale` that stands for `spec.replicas`. */
  readonly scale?: boolean;
}

const WITH_STATUS = [
  'nodes',
  'pods',
  'services',
  'deployments',
  'replicaSets',
  'statefulSets',
  'daemonSets',
  'jobs',
  'customResourceDefinitions',
];
const WITH_SCALE = ['deployments', 'replicaSets', 'statefulSets'];

/** What the fake serves without being told. */
export const CORE_RESOURCES: readonly FakeResource[] = Object.entries(CORE).map(([name, resource]) => ({
  ...resource,
  status: WITH_STATUS.includes(name),
  scale: WITH_SCALE.includes(name),
}));
