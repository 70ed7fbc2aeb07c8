import { CORE } from '../../client/core-resources.ts';
import type { Resource } from '../../client/kube-object.ts';

export interface FakeResource extends Resource {
  /** Has a `status` subresource. */
  readonly status?: boolean;
  /** Has a `scale` subresource for `spec.replicas`. */
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

/** The kinds that the fake serves by default. */
export const CORE_RESOURCES: readonly FakeResource[] = Object.entries(CORE).map(([name, resource]) => ({
  ...resource,
  status: WITH_STATUS.includes(name),
  scale: WITH_SCALE.includes(name),
}));
