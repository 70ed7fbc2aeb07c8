import { ANYTHING, type IntendedDifference } from './compare.ts';

// Where our manager deliberately differs from Cluster API's. Any other difference is an error, and so is an entry here
// that no longer differs.

/**
 * The specification lines that require them: section 11 of the product's design, and sections 0 and 1.9 of the facts
 * about Cluster API.
 */
const WANTED = {
  named: 'system.md 11: every missing or unparsable resource keeps ResourcesApplied False with a message that names it',
  honest: 'system.md 11: where upstream has a bug, do the honest thing',
  aggregated: 'system.md 11: conditions aggregate over clusters',
  noticed: 'system.md 11: a deleted ConfigMap or Secret is noticed at once',
  siblings: 'system.md 11: a bad one never holds up its siblings',
  visited: 'system.md 11: delete visits every binding in the namespace that holds an entry of the set',
  unparsable: 'facts 0, row 2: parse, empty-data and unknown-strategy errors write no condition, and a True stays True',
  missing: 'facts 0, row 3: the final state with a missing resource is True',
  firstMissing: 'facts 0, row 4: the first binding that is missing ends the deletion, and later ones stay dirty',
  short: 'facts 1.9: not covered upstream: a value of less than 32 bytes',
  malformed: 'facts 1.9: not covered upstream: a malformed JSON list',
  mixed: 'facts 1.9: not covered upstream: a mixed result of several clusters',
  mapper: 'facts 1.9: not covered upstream: the quirk of the mapper of selectors',
  wrongType: 'facts 1.9: not covered upstream: a Secret of the wrong type blocks its siblings',
  arrival: 'facts 1.9: not covered upstream: the order in which sets created at the same time are worked on',
} as const;

type Line = (typeof WANTED)[keyof typeof WANTED];

interface Place {
  readonly scenario: string;
  readonly moment: string;
  readonly wanted: Line;
}

/** The condition of a set that is not applied everywhere, in both condition formats. */
interface Verdict {
  readonly reason: string;
  readonly legacyReason: string;
  readonly message: string | RegExp;
}

const APPLIED = 'sets.web.status.conditions.ResourcesApplied';
const LEGACY = 'sets.web.status.v1beta1.ResourcesApplied';

const isMissing = (what: string): Verdict => ({
  reason: 'InternalError',
  legacyReason: 'RetrievingResourceFailed',
  message: what,
});

const isUnreadable = (message: string | RegExp): Verdict => ({
  reason: 'NotApplied',
  legacyReason: 'ApplyFailed',
  message,
});

const NOT_YAML = /^ConfigMap \w+: .*not YAML/;

export const INTENDED_DIFFERENCES: readonly IntendedDifference[] = [
  // Entries of a binding, and owners, are in the order in which the sets came to them: with either manager another in each run.
  // The order of conditions is the same in both.
  {
    scenario: ANYTHING,
    path: /^[^/]+\/(?:bindings|resources)\..*\.(?:spec\.order|ownerOrder)$/,
    upstream: ANYTHING,
    ours: ANYTHING,
    sometimes: true,
    wanted: WANTED.arrival,
  },

  // Upstream reports True, or nothing at all, where a resource is missing or cannot be read.
  ...notTrue(at('one resource is missing', 'missing', WANTED.missing), isMissing('ConfigMap missing is missing')),
  ...notTrue(at('ConfigMap created later', 'missing', WANTED.missing), isMissing('ConfigMap late is missing')),
  ...notTrue(at('Secret created later', 'missing', WANTED.missing), isMissing('Secret late is missing')),
  ...notTrue(at('ConfigMap created later', 'empty', WANTED.unparsable), isUnreadable('ConfigMap late: it has no data')),
  ...notTrue(at('Secret created later', 'empty', WANTED.unparsable), isUnreadable('Secret late: it has no data')),
  ...notTrue(at('spoilt after it was applied', 'spoilt', WANTED.unparsable), isUnreadable(NOT_YAML)),
  ...notTrue(at('ApplyOnce, spoilt after it was applied', 'spoilt', WANTED.unparsable), isUnreadable(NOT_YAML)),
  ...notSilent(at('one resource cannot be parsed', 'bad', WANTED.unparsable), isUnreadable(NOT_YAML)),
  ...notSilent(
    at('binary data only', 'refused', WANTED.unparsable),
    isUnreadable('ConfigMap settings: it has no data'),
  ),
  ...notSilent(
    at('no strategy', 'refused', WANTED.unparsable),
    isUnreadable('unsupported or empty resource strategy: ""'),
  ),

  // Upstream does not watch for deleted ConfigMaps and Secrets.
  ...notTrue(
    at('a deleted ConfigMap', 'ConfigMap deleted', WANTED.noticed),
    isMissing('ConfigMap settings is missing'),
  ),
  ...notTrue(
    at('a deleted ConfigMap', 'Secret deleted', WANTED.noticed),
    isMissing('ConfigMap settings is missing; Secret secrets is missing'),
  ),

  // Upstream treats a list it cannot read as empty.
  ...notTrue(
    at('a malformed JSON list', 'refused', WANTED.malformed),
    isUnreadable('ConfigMap settings: it begins as a JSON list and is none'),
  ),
  ...fields(at('a malformed JSON list', 'refused', WANTED.malformed), {
    'bindings.one.spec.bindings.web.0.applied': [true, false],
    'bindings.one.spec.bindings.web.0.hash': [/^sha256:/, undefined],
    'sets.web.status.observedGeneration': [1, undefined],
  }),

  // Upstream cannot read a short value.
  ...onlyOurs(at('a short value', 'read', WANTED.short), [APPLIED, LEGACY, 'workload.a']),
  ...fields(at('a short value', 'read', WANTED.short), {
    'bindings.one.spec.bindings.web.0.applied': [false, true],
    'bindings.one.spec.bindings.web.0.hash': [undefined, /^sha256:/],
    'sets.web.status.observedGeneration': [undefined, 1],
    'workload.a': ['{}', undefined],
  }),

  // With upstream, a Secret of the wrong type keeps the rest of its set from being applied.
  ...onlyOurs(at('a Secret of the wrong type', 'wrong', WANTED.siblings), ['bindings.one', 'workload.a']),
  ...fields(at('a Secret of the wrong type', 'wrong', WANTED.wrongType), {
    bindings: ['{}', undefined],
    'workload.a': ['{}', undefined],
  }),
  ...fields(at('a Secret of the wrong type', 'wrong', WANTED.named), {
    [`${LEGACY}.message`]: ['unsupported secret type', 'Secret type of resource wrong is not supported'],
  }),

  // With upstream, one set without a selector keeps all others from being notified of clusters.
  ...onlyOurs(at('a neighbour that selects nothing', 'relabelled', WANTED.mapper), [
    'bindings.one',
    'resources.ConfigMap/settings.owners',
    APPLIED,
    LEGACY,
    'workload.a',
  ]),
  ...fields(at('a neighbour that selects nothing', 'relabelled', WANTED.mapper), {
    bindings: ['{}', undefined],
    'sets.web.status.observedGeneration': [undefined, 1],
    'workload.a': ['{}', undefined],
  }),

  // With upstream, the last cluster visited determines the condition, and the order of visits varies.
  ...notTrue(at('one cluster fails and another does not', 'mixed', WANTED.mixed), {
    reason: 'NotApplied',
    legacyReason: 'ApplyFailed',
    message: /^Failed to apply ClusterResourceSet resources to Cluster east: /,
  }).map((it) => ({ ...it, upstream: ANYTHING, sometimes: true })),
  ...fields(at('one cluster fails and another does not', 'both', WANTED.mixed), {
    'sets.web.status.observedGeneration': [undefined, 1],
  }).map((it) => ({ ...it, sometimes: true })),

  // With upstream, the condition stays as it was after the last cluster has left the set.
  ...onlyUpstream(at('the cluster that failed leaves', 'left', WANTED.aggregated), [APPLIED, LEGACY]),
  ...fields(at('the cluster that failed leaves', 'left', WANTED.aggregated), {
    'sets.web.status.observedGeneration': [undefined, 1],
  }),

  // Upstream visits the bindings of matching clusters, and stops at the first missing one.
  ...onlyUpstream(at('deleted with clusters out of sight', 'deleted', WANTED.visited), ['bindings.relabelled']),
  ...fields(at('deleted with clusters out of sight', 'deleted', WANTED.visited), { bindings: [undefined, '{}'] }),
  ...onlyUpstream(at('deleted with clusters out of sight', 'deleted', WANTED.firstMissing), [
    'bindings.plain-1',
    'bindings.plain-2',
    'bindings.plain-3',
  ]).map((it) => ({ ...it, sometimes: true })),

  // Both report a failure; ours names the cluster and the cause.
  ...namesCluster('the cluster that failed leaves', 'failed'),
  ...namesCluster('a neighbour that fails', 'one failed'),
  ...namesCluster('a neighbour that fails', 'neighbour changed'),
  ...namesCluster('ApplyOnce, an error and its correction', 'one failed'),
  ...namesCluster('ApplyOnce, one namespace is missing', 'one failed'),
  ...namesCluster('Reconcile, an error and its correction', 'one failed'),
  ...namesCluster('a kind that nobody knows', 'refused'),
  ...namesCluster('an object the server refuses', 'refused'),
  ...namesCluster('a change that the server refuses', 'refused', 'patching'),
  ...namesUnreachable('a cluster that cannot be reached', 'unreachable'),
  ...namesUnreachable('a kubeconfig comes late', 'unreachable'),
  ...fields(at('a selector that makes no sense', 'refused', WANTED.honest), {
    [`${APPLIED}.message`]: ['Please check controller logs for errors', /^unable to convert selector: values: /],
  }),
];

function at(scenario: string, moment: string, wanted: Line): Place {
  return { scenario, moment, wanted };
}

/** One entry per field, with the values of upstream and of ours. */
function fields(
  { scenario, moment, wanted }: Place,
  pairs: Readonly<Record<string, readonly [upstream: unknown, ours: unknown]>>,
): IntendedDifference[] {
  return Object.entries(pairs).map(([path, [upstream, ours]]) => ({
    scenario,
    path: `${moment}/${path}`,
    upstream,
    ours,
    wanted,
  }));
}

/** Upstream reports success. */
function notTrue(place: Place, { reason, legacyReason, message }: Verdict): IntendedDifference[] {
  return fields(place, {
    [`${APPLIED}.status`]: ['True', 'False'],
    [`${APPLIED}.reason`]: ['Applied', reason],
    [`${APPLIED}.message`]: ['', message],
    [`${LEGACY}.status`]: ['True', 'False'],
    [`${LEGACY}.reason`]: [undefined, legacyReason],
    [`${LEGACY}.severity`]: [undefined, 'Warning'],
    [`${LEGACY}.message`]: [undefined, message],
  });
}

/** Upstream reports nothing. */
function notSilent(place: Place, { reason, legacyReason, message }: Verdict): IntendedDifference[] {
  return fields(place, {
    [`${APPLIED}.type`]: [undefined, 'ResourcesApplied'],
    [`${APPLIED}.status`]: [undefined, 'False'],
    [`${APPLIED}.reason`]: [undefined, reason],
    [`${APPLIED}.message`]: [undefined, message],
    [`${APPLIED}.observedGeneration`]: [undefined, 1],
    [`${APPLIED}.lastTransitionTime`]: [undefined, '<time>'],
    [`${LEGACY}.type`]: [undefined, 'ResourcesApplied'],
    [`${LEGACY}.status`]: [undefined, 'False'],
    [`${LEGACY}.reason`]: [undefined, legacyReason],
    [`${LEGACY}.severity`]: [undefined, 'Warning'],
    [`${LEGACY}.message`]: [undefined, message],
    [`${LEGACY}.lastTransitionTime`]: [undefined, '<time>'],
  });
}

/** Something that upstream does not have at all. The scenario itself checks what ours looks like. */
function onlyOurs(place: Place, subtrees: readonly string[]): IntendedDifference[] {
  return subtrees.map((subtree) => ({ ...whole(place, subtree), upstream: undefined, ours: ANYTHING }));
}

function onlyUpstream(place: Place, subtrees: readonly string[]): IntendedDifference[] {
  return subtrees.map((subtree) => ({ ...whole(place, subtree), upstream: ANYTHING, ours: undefined }));
}

function whole({ scenario, moment, wanted }: Place, subtree: string) {
  return { scenario, wanted, path: new RegExp(`^${RegExp.escape(`${moment}/${subtree}`)}\\.`) };
}

function namesCluster(scenario: string, moment: string, doing = 'creating'): IntendedDifference[] {
  const failed = 'Failed to apply ClusterResourceSet resources to Cluster';
  const ours = new RegExp(
    `^${failed} one: ConfigMap settings: ${doing} object .*: (?:namespaces ".*" not found|no matches for kind|ConfigMap ".*" is invalid)`,
  );
  return fields(at(scenario, moment, WANTED.aggregated), {
    [`${APPLIED}.message`]: [failed, ours],
    [`${LEGACY}.message`]: [new RegExp(`^${doing} object `), ours],
  });
}

function namesUnreachable(scenario: string, moment: string): IntendedDifference[] {
  const ours = /^Cluster one cannot be reached: connection to the workload cluster is down: /;
  return fields(at(scenario, moment, WANTED.aggregated), {
    [`${APPLIED}.message`]: ['Please check controller logs for errors', ours],
    [`${LEGACY}.message`]: ['error getting client: connection to the workload cluster is down', ours],
  });
}
