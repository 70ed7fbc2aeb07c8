import { OUR_IMAGE } from './pod-runner/our-image.ts';

/**
 * The configuration of kwok: the lifecycle of Nodes and Pods, and the behaviour of `exec`, `attach`, `logs` and
 * `port-forward`. Pods run, and those of a Job complete, unless the annotation `testing.fleetshift/simulate` names
 * another outcome. Pods of our own image are excluded: the pod runner is their kubelet.
 */
export function simulationDocuments(logsFile: string): string {
  const documents = [
    stage('node-ready', { kind: 'Node', when: [isNot(NODE_IS_READY, 'True')], next: { statusTemplate: NODE_READY } }),
    podStage('pod-runs', [PENDING, isNot(SIMULATE, ...Object.keys(FATES))], { statusTemplate: podStatus(RUNS) }),
    podStage('pod-completes', [is('.status.phase', 'Running'), is('.metadata.ownerReferences.[].kind', 'Job')], {
      statusTemplate: podStatus(COMPLETES),
    }),
    ...Object.entries(FATES).map(([fate, outcome]) =>
      podStage(`pod-${fate}`, [PENDING, is(SIMULATE, fate)], { statusTemplate: podStatus(outcome) }),
    ),
    stage('pod-goes', { kind: 'Pod', when: [NOT_OURS, BEING_DELETED], next: { delete: true } }),
    kwok('ClusterExec', { execs: [{ local: {} }] }),
    kwok('ClusterLogs', { logs: [{ logsFile, previousLogsFile: logsFile }] }),
    kwok('ClusterAttach', { attaches: [{ logsFile }] }),
    // No program listens there: the connection echoes.
    kwok('ClusterPortForward', { forwards: [{ command: ['cat'] }] }),
  ];
  return documents.map((document) => JSON.stringify(document)).join('\n---\n');
}

const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: 'amd64', arm64: 'arm64' };

/** A Node with the labels that a kubelet and a cloud give it: charts select on them, and spread Pods over them. */
export function simulatedNode(name: string, zone = 'zone-1'): object {
  const labels = {
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': ARCHITECTURES[process.arch] ?? process.arch,
    'kubernetes.io/hostname': name,
    'topology.kubernetes.io/region': 'region-1',
    'topology.kubernetes.io/zone': zone,
  };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } };
}

/** Kinds of kwok that are created at runtime, one for each Pod of ours; they configure `logs`, `attach` and `port-forward`. */
export const POD_TOOLS = [
  { kind: 'Logs', plural: 'logs' },
  { kind: 'Attach', plural: 'attaches' },
  { kind: 'PortForward', plural: 'portforwards' },
] as const;

/** A definition of one of these kinds with a permissive schema: kwok reads the fields it knows. */
export function podToolDefinition({ kind, plural }: (typeof POD_TOOLS)[number]): object {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.kwok.x-k8s.io` },
    spec: {
      group: 'kwok.x-k8s.io',
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1alpha1', served: true, storage: true, schema }],
    },
  };
}

interface Requirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

const is = (key: string, ...values: string[]): Requirement => ({ key, operator: 'In', values });
const isNot = (key: string, ...values: string[]): Requirement => ({ key, operator: 'NotIn', values });

const BEING_DELETED: Requirement = { key: '.metadata.deletionTimestamp', operator: 'Exists' };
const STAYS: Requirement = { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' };
const NOT_OURS = isNot(`.spec.containers.[].image | test(${JSON.stringify(OUR_IMAGE)})`, 'true');
const PENDING: Requirement = { key: '.status.containerStatuses.[].name', operator: 'DoesNotExist' };
const SIMULATE = '.metadata.annotations["testing.fleetshift/simulate"]';
const NODE_IS_READY = '.status.conditions.[] | select(.type == "Ready") | .status';

interface Stage {
  readonly kind: 'Node' | 'Pod';
  readonly when: readonly Requirement[];
  readonly next: object;
}

function stage(name: string, { kind, when, next }: Stage): object {
  const resourceRef = { apiGroup: 'v1', kind };
  return { ...kwok('Stage', { resourceRef, selector: { matchExpressions: when }, next }), metadata: { name } };
}

function podStage(name: string, when: readonly Requirement[], next: object): object {
  return stage(name, { kind: 'Pod', when: [NOT_OURS, STAYS, ...when], next });
}

function kwok(kind: string, spec: object): object {
  return { apiVersion: 'kwok.x-k8s.io/v1alpha1', kind, metadata: { name: 'all' }, spec };
}

interface Outcome {
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly ready: boolean;
  readonly restarts?: number;
  /** The state of each container, as a template. */
  readonly state: string;
}

const RUNS: Outcome = { phase: 'Running', ready: true, state: 'running: { startedAt: {{ Now | Quote }} }' };
const COMPLETES: Outcome = { phase: 'Succeeded', ready: false, state: terminated(0, 'Completed') };
const FATES: Readonly<Record<string, Outcome>> = {
  crashes: { phase: 'Running', ready: false, restarts: 3, state: waiting('CrashLoopBackOff') },
  fails: { phase: 'Failed', ready: false, state: terminated(1, 'Error') },
  'image-missing': { phase: 'Pending', ready: false, state: waiting('ImagePullBackOff') },
  unready: { ...RUNS, ready: false },
};

function waiting(reason: string): string {
  return `waiting: { reason: ${reason}, message: "it was told to" }`;
}

function terminated(exitCode: number, reason: string): string {
  return `terminated: { exitCode: ${exitCode}, reason: ${reason}, startedAt: {{ Now | Quote }}, finishedAt: {{ Now | Quote }} }`;
}

function podStatus({ phase, ready, restarts = 0, state }: Outcome): string {
  const condition = (type: string, status: boolean): string =>
    `- { type: ${type}, status: "${status ? 'True' : 'False'}", lastTransitionTime: {{ Now | Quote }} }`;
  return `
phase: ${phase}
startTime: {{ or .status.startTime Now | Quote }}
hostIP: 127.0.0.1
hostIPs: [{ ip: 127.0.0.1 }]
{{ $podIP := or .status.podIP (index (PodIPsWith .spec.nodeName false .metadata.uid .metadata.name .metadata.namespace) 0) }}
podIP: {{ $podIP | Quote }}
podIPs: [{ ip: {{ $podIP | Quote }} }]
conditions:
${condition('Initialized', true)}
${condition('ContainersReady', ready)}
${condition('Ready', ready)}
{{ range .spec.readinessGates }}
- { type: {{ .conditionType | Quote }}, status: "True", lastTransitionTime: {{ Now | Quote }} }
{{ end }}
initContainerStatuses:
{{ range .spec.initContainers }}
- { name: {{ .name | Quote }}, image: {{ .image | Quote }}, imageID: "", ready: true, restartCount: 0, state: { ${terminated(0, 'Completed')} } }
{{ end }}
containerStatuses:
{{ range .spec.containers }}
- { name: {{ .name | Quote }}, image: {{ .image | Quote }}, imageID: "", ready: ${ready}, started: ${ready}, restartCount: ${restarts}, state: { ${state} } }
{{ end }}
`;
}

const ROOMY = '{ cpu: 64, memory: 256Gi, pods: 500 }';
const NODE_READY = `
phase: Running
addresses:
- { type: InternalIP, address: {{ NodeIP | Quote }} }
- { type: Hostname, address: {{ .metadata.name | Quote }} }
daemonEndpoints: { kubeletEndpoint: { Port: {{ NodePort }} } }
capacity: {{ with .status.capacity }}{{ . | Quote }}{{ else }}${ROOMY}{{ end }}
allocatable: {{ with .status.capacity }}{{ . | Quote }}{{ else }}${ROOMY}{{ end }}
conditions:
{{ range NodeConditions }}
- { type: {{ .type | Quote }}, status: {{ .status | Quote }}, reason: {{ .reason | Quote }}, message: {{ .message | Quote }}, lastHeartbeatTime: {{ Now | Quote }}, lastTransitionTime: {{ Now | Quote }} }
{{ end }}
`;
