import { boolean, type Settings, text } from '#kit/config';
import { UsageError } from '../command.ts';

const group = 'Place';
const from = ['flag'] as const;

/** The flags that select resources. */
export const PLACE_SETTINGS = {
  workspace: {
    kind: text('NAME'),
    unset: 'the workspace of the context',
    sentence: 'The workspace; -w for short.',
    group,
    from,
  },
  'all-workspaces': {
    kind: boolean(),
    default: 'false',
    sentence: 'In all workspaces that you may see, regardless of the context; -A for short.',
    group,
    from,
  },
  subtree: {
    kind: boolean(),
    default: 'false',
    sentence: 'Include the workspaces below it.',
    group,
    from,
  },
  target: { kind: text('NAME'), sentence: 'Grants: only those on this target.', group, from },
  inherited: {
    kind: boolean(),
    default: 'false',
    sentence: 'Grants: include inherited ones.',
    group,
    from,
  },
  'service-account': { kind: text('NAME'), sentence: 'Tokens: only those of this service account.', group, from },
  deployment: { kind: text('NAME'), sentence: 'Revisions: only those of this deployment.', group, from },
  type: { kind: text('TYPE'), sentence: 'Targets: only those of this type, such as kubernetes.', group, from },
} as const satisfies Settings;

export type PlaceFlag = keyof typeof PLACE_SETTINGS;

/** The place that the flags and the context select. */
export interface Place {
  /** From the flag, or from the context. */
  readonly workspace?: string | undefined;
  /** Set by a flag of this command, not only by the context. */
  readonly workspaceIsSaid?: boolean;
  readonly subtree?: boolean;
  readonly target?: string | undefined;
  readonly inherited?: boolean;
  readonly serviceAccount?: string | undefined;
  readonly deployment?: string | undefined;
  readonly type?: string | undefined;
}

export interface PlaceValues {
  readonly workspace?: string | undefined;
  readonly allWorkspaces?: boolean;
  readonly subtree?: boolean;
  readonly target?: string | undefined;
  readonly inherited?: boolean;
  readonly serviceAccount?: string | undefined;
  readonly deployment?: string | undefined;
  readonly type?: string | undefined;
}

/** A flag that the kind does not support is refused: ignoring it would give a misleading result. */
export function placeOf(
  { plural, takes }: { readonly plural: string; readonly takes: readonly PlaceFlag[] },
  values: PlaceValues,
  contextWorkspace: string | undefined,
): Place {
  const { workspace, allWorkspaces = false, subtree = false, target, inherited = false } = values;
  const { serviceAccount, deployment, type } = values;
  const said: Readonly<Record<PlaceFlag, boolean>> = {
    workspace: workspace !== undefined,
    'all-workspaces': allWorkspaces,
    subtree,
    target: target !== undefined,
    inherited,
    'service-account': serviceAccount !== undefined,
    deployment: deployment !== undefined,
    type: type !== undefined,
  };
  const useless = Object.entries(said).find(([flag, given]) => given && !takes.some((each) => each === flag));
  if (useless !== undefined) throw new UsageError(`--${useless[0]} does not apply to ${plural}; leave it out`);
  if (allWorkspaces && workspace !== undefined) throw new UsageError('--workspace and --all-workspaces: choose one');
  if (target !== undefined && workspace !== undefined) throw new UsageError('--workspace and --target: choose one');
  return {
    workspace: allWorkspaces ? undefined : (workspace ?? contextWorkspace),
    workspaceIsSaid: workspace !== undefined,
    subtree,
    target,
    inherited,
    serviceAccount,
    deployment,
    type,
  };
}

export function workspaceOf({ workspace }: Place): string {
  if (workspace !== undefined) return workspace;
  throw new UsageError(
    'name the workspace with -w, or set a default: fleetshift config set-context --current --workspace NAME',
  );
}

export function serviceAccountOf({ serviceAccount }: Place): string {
  if (serviceAccount !== undefined) return serviceAccount;
  throw new UsageError('name the service account with --service-account');
}

export function deploymentOf({ deployment }: Place): string {
  if (deployment !== undefined) return deployment;
  throw new UsageError('name the deployment with --deployment');
}
