/** The objects that an operation is tried on. */
export interface Place {
  readonly name: string;
  /** Values for `{workspace}` and the other path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** A second workspace: the destination of a move, or the subject of a query. */
  readonly other: string;
  /** A workspace with nothing in it. */
  readonly empty: string;
}

/** How to try an operation, beyond what the API description says. */
export interface OperationCase {
  /** Body properties that override those generated from the description. */
  readonly body?: (place: Place) => object;
  /** Path parameters that differ from the place's own. */
  readonly params?: (place: Place) => Readonly<Record<string, string>>;
  /**
   * For operations that admit every authenticated caller and check permissions themselves: the permissions they check.
   * Empty for operations that only return the caller's own data.
   */
  readonly looksItself?: (place: Place) => readonly Asked[];
  /** Permissions required in addition to those on the object in the path. */
  readonly alsoAsks?: (place: Place) => readonly Asked[];
  /** The status for callers that are let through, when it is not a success: no such object exists. */
  readonly otherwise?: number;
}

interface Asked {
  /** The operation's own permission by default. */
  readonly permission?: string;
  /** For example `workspaces/web`; the whole instance by default. */
  readonly on?: string;
}

/** For operations that affect the whole instance. */
const onRoot = (): readonly Asked[] => [{ permission: 'targets.passthrough' }];

const inOther = ({ other }: Place): readonly Asked[] => [{ on: `workspaces/${other}` }];
/** The target in the tree of the second workspace. */
const targetBeside = ({ other }: Place): string => other.replace(/-den$/, '-target');
/** A fleetlet belongs to a workspace that its path does not name. */
const inRoom = ({ params }: Place): readonly Asked[] => [{ on: `workspaces/${params['workspace']}` }];
const itsTarget = ({ params }: Place): object => ({ target: params['target'] });
const nothing = (): readonly Asked[] => [];
const question = ({ other }: Place): object => ({ permission: 'workspaces.read', resource: `workspaces/${other}` });
const grant = (): object => ({ subject: { kind: 'user', id: 'someone-new' }, role: 'viewer' });
const indexSchema = (): object => ({ targetType: 'kubernetes', kinds: [{ type: 'shop.test/v1/Thing' }] });
const nameless: OperationCase = {};
const noWorkflow: OperationCase = { otherwise: 404 };
const deployment = (): object => ({
  name: 'brand-new',
  manifest: { type: 'inline', documents: [{ kind: 'Note', text: 'hello' }] },
  placement: [{ type: 'all' }],
  rollout: { type: 'immediate' },
});

/** Every operation of the API that is not public. An operation missing here fails the test, since nothing has tried it. */
export const OPERATION_CASES: Readonly<Record<string, OperationCase>> = {
  createWorkspace: { looksItself: inOther, body: ({ other }) => ({ name: 'brand-new', parent: other }) },
  listWorkspaces: { looksItself: nothing },
  getWorkspace: nameless,
  patchWorkspace: nameless,
  // Only an empty workspace can be deleted.
  deleteWorkspace: { params: ({ empty }) => ({ workspace: empty }) },
  moveWorkspace: { alsoAsks: inOther, body: ({ other }) => ({ parent: other }) },

  createTarget: {
    looksItself: inOther,
    body: ({ other }) => ({ name: 'brand-new', type: 'directory', workspace: other }),
  },
  listTargets: { looksItself: nothing },
  getTarget: nameless,
  patchTarget: nameless,
  // Deployments are on it.
  deleteTarget: { otherwise: 409 },
  assignTarget: { alsoAsks: inOther, body: ({ other }) => ({ workspace: other }) },
  cordonTarget: nameless,
  uncordonTarget: nameless,
  reidentifyTarget: { otherwise: 409 },
  // Neither was refused because of the other one's cluster.
  mergeTarget: {
    alsoAsks: (place) => [{ on: `targets/${targetBeside(place)}` }],
    otherwise: 409,
    body: (place) => ({ into: targetBeside(place) }),
  },

  // The target is a directory.
  putTargetKubeconfig: { otherwise: 409, body: () => ({ kubeconfig: 'apiVersion: v1' }) },
  getTargetKubeconfig: { otherwise: 404 },
  deleteTargetKubeconfig: { otherwise: 404 },

  // The issuer does not exist.
  putTargetPassthrough: { alsoAsks: onRoot, otherwise: 400, body: () => ({ issuer: 'nobody', audience: 'x' }) },
  getTargetPassthrough: { otherwise: 404 },
  deleteTargetPassthrough: { alsoAsks: onRoot, otherwise: 404 },

  putIndexSchema: { body: indexSchema },
  getIndexSchema: nameless,
  listIndexSchemas: nameless,
  deleteIndexSchema: nameless,
  putWorkspaceIndexSchema: { body: indexSchema },
  getWorkspaceIndexSchema: nameless,
  listWorkspaceIndexSchemas: nameless,
  deleteWorkspaceIndexSchema: nameless,
  listIndexedObjects: nameless,
  getTargetIndex: nameless,

  putScore: nameless,
  listScores: nameless,

  createDeployment: { body: deployment },
  listDeployments: nameless,
  listAllDeployments: { looksItself: nothing },
  getDeployment: nameless,
  patchDeployment: nameless,
  deleteDeployment: nameless,
  listDeploymentTargets: nameless,
  // The deployment is not a group.
  getDeploymentGroup: { otherwise: 404 },
  previewDeployment: nameless,
  previewNewDeployment: { body: deployment },
  pauseDeployment: nameless,
  resumeDeployment: nameless,
  abortDeployment: nameless,
  replanDeployment: nameless,
  // Nothing has failed.
  retryDeployment: { otherwise: 409 },
  // No removal waits for confirmation.
  confirmDeploymentRemoval: { otherwise: 409 },
  acceptDeploymentRevision: { otherwise: 409 },
  rollbackDeployment: { body: () => ({ revision: 1 }) },
  // The deployment is not being deleted.
  abandonDeployment: { otherwise: 409 },
  listRevisions: nameless,
  getRevision: nameless,
  diffRevisions: nameless,
  listTimeline: nameless,

  listAllApprovals: { looksItself: nothing },
  listApprovals: nameless,
  getApproval: nameless,
  approveApproval: nameless,
  rejectApproval: nameless,
  approveDeployment: nameless,
  rejectDeployment: nameless,

  createWorkspaceGrant: { body: grant },
  listWorkspaceGrants: nameless,
  getWorkspaceGrant: nameless,
  deleteWorkspaceGrant: nameless,
  createTargetGrant: { body: grant },
  listTargetGrants: nameless,
  getTargetGrant: nameless,
  deleteTargetGrant: nameless,

  putPermissionSchema: { body: () => ({ attributesSchema: { type: 'object' } }) },
  getPermissionSchema: nameless,
  deletePermissionSchema: nameless,
  listPermissionSchemas: nameless,

  resolveIdentity: { looksItself: nothing },
  // Every caller may ask about its own permissions; an object that is absent and one it may not access give the same
  // answer.
  checkAccess: { looksItself: nothing, body: question },
  lookupPermissions: { looksItself: nothing, body: () => ({ permission: 'workspaces.read' }) },
  lookupSubjects: { looksItself: inOther, body: question },
  explainAccess: {
    looksItself: ({ other }) => [{ permission: 'workspaces.read', on: `workspaces/${other}` }],
    body: question,
  },

  listAudit: { looksItself: nothing },
  listAuditHeads: nameless,
  verifyAudit: nameless,
  listUsage: { looksItself: nothing },
  streamEvents: { looksItself: nothing },

  createIssuer: {
    body: () => ({ name: 'brand-new', url: 'http://127.0.0.1:2', clientId: 'platform', mode: 'isolated' }),
  },
  listIssuers: nameless,
  getIssuer: nameless,
  patchIssuer: nameless,
  deleteIssuer: nameless,
  createServiceAccount: { body: () => ({ name: 'brand-new' }) },
  listServiceAccounts: nameless,
  getServiceAccount: nameless,
  patchServiceAccount: nameless,
  deleteServiceAccount: nameless,
  createServiceAccountToken: nameless,
  listServiceAccountTokens: nameless,
  getServiceAccountToken: nameless,
  deleteServiceAccountToken: nameless,
  rotateServiceAccountToken: nameless,
  listSessions: { looksItself: nothing },
  // A caller with a service account token has no session.
  deleteSession: { looksItself: nothing, otherwise: 404 },
  logout: { looksItself: nothing, otherwise: 404 },
  revokeSessions: { body: () => ({ user: 'somebody' }) },

  createBootstrapToken: nameless,
  listBootstrapTokens: nameless,
  getBootstrapToken: nameless,
  deleteBootstrapToken: nameless,
  listFleetlets: { looksItself: nothing },
  getFleetlet: { looksItself: inRoom },
  revokeFleetlet: { looksItself: inRoom },
  bindFleetlet: { looksItself: inRoom, body: itsTarget },
  unbindFleetlet: { looksItself: inRoom, body: itsTarget },
  deleteFleetlet: { looksItself: inRoom },
  getCertificateAuthority: nameless,
  rotateCertificateAuthority: nameless,

  listDeadLetters: nameless,
  // No message was set aside.
  getDeadLetter: { otherwise: 404 },
  replayDeadLetter: { otherwise: 404 },
  discardDeadLetter: { otherwise: 404 },

  listReplicas: nameless,
  getInstance: nameless,
  // This platform was never restored.
  acceptRestore: { otherwise: 409, body: () => ({}) },

  listWorkflows: nameless,
  getWorkflow: noWorkflow,
  getWorkflowHistory: noWorkflow,
  cancelWorkflow: noWorkflow,
  pauseWorkflow: noWorkflow,
  resumeWorkflow: noWorkflow,
};

/** Operations that need no credentials, and why that is right. */
export const PUBLIC_OPERATIONS: Readonly<Record<string, string>> = {
  getLoginPage: 'it is where somebody without credentials gets some',
  listLoginChoices: 'the same for programs; it tells names and addresses of issuers, and no secret',
  beginLogin: 'leads to the issuer, who then asks for credentials',
  completeLogin: 'the issuer sends browsers back there, and its code is the credential',
  redeemLogin: 'the one-time code is the credential',
  enroll: 'the bootstrap token in the body is the credential',
  renewFleetletCertificate: 'a token that is signed by the key of the certificate is the credential',
  getHealth: 'a supervisor of processes has no credentials; it tells that the process lives, and no more',
  getReadiness: 'the same, for load balancers',
  getMetrics: 'only unless --protect-metrics, which the operator decides',
  getOpenapi: 'the description is the same for everybody, and public anyway',
};
