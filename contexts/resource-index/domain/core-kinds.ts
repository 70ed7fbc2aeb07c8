import type { Check, FieldType, IndexedKind, IndexField, IndexHealthRule, ObjectHealth } from './index-schema.ts';

/**
 * The built-in kinds of a target type: always indexed, most wanted first. They come with the release, and schemas add to them.
 */
export function coreKinds(targetType: string): readonly IndexedKind[] {
  return targetType === 'kubernetes' ? KUBERNETES : [];
}

/** Events come and go by the thousand: without an explicit expiry they are kept for an hour. */
const DEFAULT_EXPIRY = {
  afterMs: 3_600_000,
  from: ['lastTimestamp', 'eventTime', 'metadata.creationTimestamp'],
};

const EVENT_TYPES: ReadonlySet<string> = new Set(['v1/Event', 'events.k8s.io/v1/Event']);

/** A kind with its defaults, as it is stored. */
export function withDefaults(kind: IndexedKind): IndexedKind {
  return kind.expiry === undefined && EVENT_TYPES.has(kind.type) ? { ...kind, expiry: DEFAULT_EXPIRY } : kind;
}

function field(name: string, path: string, type: FieldType = 'string'): IndexField {
  return { name, path, type };
}

function number(name: string, path: string): IndexField {
  return field(name, path, 'number');
}

function strings(name: string, path: string): IndexField {
  return field(name, path, 'strings');
}

function rule(health: ObjectHealth, ...when: readonly Check[]): IndexHealthRule {
  return { health, when };
}

function is(path: string, ...values: readonly string[]): Check {
  return { path, in: values };
}

function below(path: string, other: string): Check {
  return { path, below: other };
}

function condition(type: string, ...status: readonly string[]): Check {
  return { path: `status.conditions[type=${type}].status`, in: status };
}

function kind(type: string, fields: readonly IndexField[], health: readonly IndexHealthRule[] = []): IndexedKind {
  return { type, fields, health, only: [], expiry: undefined };
}

const LEAVING = rule('Progressing', { path: 'metadata.deletionTimestamp', exists: true });
const UNSEEN = rule('Progressing', below('status.observedGeneration', 'metadata.generation'));
const HEALTHY = rule('Healthy');
const CRASHES = ['CrashLoopBackOff', 'ImagePullBackOff', 'ErrImagePull', 'InvalidImageName', 'CreateContainerError'];
const IMAGES = strings('images', 'spec.template.spec.containers[*].image');

const POD = kind(
  'v1/Pod',
  [
    field('phase', 'status.phase'),
    field('reason', 'status.reason'),
    field('podIP', 'status.podIP'),
    field('hostIP', 'status.hostIP'),
    field('nodeName', 'spec.nodeName'),
    strings('images', 'spec.containers[*].image'),
    number('restarts', 'status.containerStatuses[*].restartCount'),
    strings('waiting', 'status.containerStatuses[*].state.waiting.reason'),
    field('serviceAccount', 'spec.serviceAccountName'),
    field('startTime', 'status.startTime', 'time'),
  ],
  [
    rule('Failed', is('status.phase', 'Failed')),
    LEAVING,
    rule('Healthy', is('status.phase', 'Succeeded')),
    rule('Degraded', is('status.containerStatuses[*].state.waiting.reason', ...CRASHES)),
    rule('Degraded', is('status.initContainerStatuses[*].state.waiting.reason', ...CRASHES)),
    rule('Healthy', condition('Ready', 'True')),
    rule('Progressing', is('status.phase', 'Pending', 'Running')),
  ],
);

const NODE = kind(
  'v1/Node',
  [
    field('kubeletVersion', 'status.nodeInfo.kubeletVersion'),
    field('osImage', 'status.nodeInfo.osImage'),
    field('kernelVersion', 'status.nodeInfo.kernelVersion'),
    field('containerRuntime', 'status.nodeInfo.containerRuntimeVersion'),
    field('architecture', 'status.nodeInfo.architecture'),
    field('cpu', 'status.capacity.cpu'),
    field('memory', 'status.capacity.memory'),
    field('allocatableCpu', 'status.allocatable.cpu'),
    field('allocatableMemory', 'status.allocatable.memory'),
    field('internalIP', 'status.addresses[type=InternalIP].address'),
    field('providerID', 'spec.providerID'),
    field('unschedulable', 'spec.unschedulable', 'boolean'),
    strings('taints', 'spec.taints[*].key'),
  ],
  [
    rule('Failed', condition('Ready', 'False')),
    rule('Unknown', condition('Ready', 'Unknown')),
    rule('Degraded', condition('MemoryPressure', 'True')),
    rule('Degraded', condition('DiskPressure', 'True')),
    rule('Healthy', condition('Ready', 'True')),
  ],
);

const DEPLOYMENT = kind(
  'apps/v1/Deployment',
  [
    number('replicas', 'spec.replicas'),
    number('readyReplicas', 'status.readyReplicas'),
    number('updatedReplicas', 'status.updatedReplicas'),
    number('availableReplicas', 'status.availableReplicas'),
    field('paused', 'spec.paused', 'boolean'),
    IMAGES,
  ],
  [
    LEAVING,
    UNSEEN,
    rule('Degraded', condition('Progressing', 'False')),
    rule('Degraded', condition('ReplicaFailure', 'True')),
    rule('Progressing', below('status.updatedReplicas', 'spec.replicas')),
    rule('Progressing', below('status.availableReplicas', 'spec.replicas')),
    HEALTHY,
  ],
);

const STATEFUL_SET = kind(
  'apps/v1/StatefulSet',
  [
    number('replicas', 'spec.replicas'),
    number('readyReplicas', 'status.readyReplicas'),
    number('updatedReplicas', 'status.updatedReplicas'),
    field('serviceName', 'spec.serviceName'),
    IMAGES,
  ],
  [LEAVING, UNSEEN, rule('Progressing', below('status.readyReplicas', 'spec.replicas')), HEALTHY],
);

const DAEMON_SET = kind(
  'apps/v1/DaemonSet',
  [
    number('desired', 'status.desiredNumberScheduled'),
    number('ready', 'status.numberReady'),
    number('updated', 'status.updatedNumberScheduled'),
    number('misscheduled', 'status.numberMisscheduled'),
    IMAGES,
  ],
  [LEAVING, UNSEEN, rule('Progressing', below('status.numberReady', 'status.desiredNumberScheduled')), HEALTHY],
);

const REPLICA_SET = kind(
  'apps/v1/ReplicaSet',
  [number('replicas', 'spec.replicas'), number('readyReplicas', 'status.readyReplicas'), IMAGES],
  [
    LEAVING,
    UNSEEN,
    rule('Degraded', condition('ReplicaFailure', 'True')),
    rule('Progressing', below('status.readyReplicas', 'spec.replicas')),
    HEALTHY,
  ],
);

const JOB = kind(
  'batch/v1/Job',
  [
    number('completions', 'spec.completions'),
    number('active', 'status.active'),
    number('succeeded', 'status.succeeded'),
    number('failed', 'status.failed'),
    field('startTime', 'status.startTime', 'time'),
    field('completionTime', 'status.completionTime', 'time'),
    IMAGES,
  ],
  [
    rule('Failed', condition('Failed', 'True')),
    rule('Healthy', condition('Complete', 'True')),
    LEAVING,
    rule('Progressing'),
  ],
);

const CRON_JOB = kind(
  'batch/v1/CronJob',
  [
    field('schedule', 'spec.schedule'),
    field('suspended', 'spec.suspend', 'boolean'),
    field('lastScheduleTime', 'status.lastScheduleTime', 'time'),
    field('lastSuccessfulTime', 'status.lastSuccessfulTime', 'time'),
  ],
  [LEAVING, HEALTHY],
);

const SERVICE = kind(
  'v1/Service',
  [
    field('type', 'spec.type'),
    field('clusterIP', 'spec.clusterIP'),
    strings('ports', 'spec.ports[*].port'),
    strings('externalIPs', 'status.loadBalancer.ingress[*].ip'),
    strings('externalNames', 'status.loadBalancer.ingress[*].hostname'),
  ],
  [
    LEAVING,
    rule('Progressing', is('spec.type', 'LoadBalancer'), { path: 'status.loadBalancer.ingress[*]', exists: false }),
    HEALTHY,
  ],
);

const INGRESS = kind(
  'networking.k8s.io/v1/Ingress',
  [
    field('className', 'spec.ingressClassName'),
    strings('hosts', 'spec.rules[*].host'),
    strings('addresses', 'status.loadBalancer.ingress[*].ip'),
  ],
  [LEAVING, HEALTHY],
);

const NAMESPACE = kind(
  'v1/Namespace',
  [field('phase', 'status.phase')],
  [rule('Progressing', is('status.phase', 'Terminating')), LEAVING, HEALTHY],
);

const CLAIM = kind(
  'v1/PersistentVolumeClaim',
  [
    field('phase', 'status.phase'),
    field('storageClass', 'spec.storageClassName'),
    field('capacity', 'status.capacity.storage'),
    field('requested', 'spec.resources.requests.storage'),
    field('volumeName', 'spec.volumeName'),
    strings('accessModes', 'spec.accessModes[*]'),
  ],
  [
    rule('Failed', is('status.phase', 'Lost')),
    LEAVING,
    rule('Healthy', is('status.phase', 'Bound')),
    rule('Progressing', is('status.phase', 'Pending')),
  ],
);

const VOLUME = kind(
  'v1/PersistentVolume',
  [
    field('phase', 'status.phase'),
    field('storageClass', 'spec.storageClassName'),
    field('capacity', 'spec.capacity.storage'),
    field('claimNamespace', 'spec.claimRef.namespace'),
    field('claimName', 'spec.claimRef.name'),
    field('reclaimPolicy', 'spec.persistentVolumeReclaimPolicy'),
  ],
  [
    rule('Failed', is('status.phase', 'Failed')),
    LEAVING,
    rule('Healthy', is('status.phase', 'Bound', 'Available', 'Released')),
    rule('Progressing', is('status.phase', 'Pending')),
  ],
);

const DEFINITION = kind(
  'apiextensions.k8s.io/v1/CustomResourceDefinition',
  [
    field('group', 'spec.group'),
    field('kind', 'spec.names.kind'),
    field('scope', 'spec.scope'),
    strings('versions', 'spec.versions[*].name'),
  ],
  [
    LEAVING,
    rule('Failed', condition('NamesAccepted', 'False')),
    rule('Healthy', condition('Established', 'True')),
    rule('Progressing'),
  ],
);

const KUBERNETES: readonly IndexedKind[] = [
  POD,
  NODE,
  DEPLOYMENT,
  STATEFUL_SET,
  DAEMON_SET,
  REPLICA_SET,
  JOB,
  CRON_JOB,
  SERVICE,
  INGRESS,
  NAMESPACE,
  CLAIM,
  VOLUME,
  DEFINITION,
];
