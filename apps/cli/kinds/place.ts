import { boolean, type Settings, text } from '#kit/config';
import { UsageError } from '../command.ts';

const group = 'Place';
const from = ['flag'] as const;

/** Which of them are meant. */
export const PLACE_SETTINGS = {
  workspace: {
    kind: text('NAME'),
    unset: 'that of the context',
    sentence: 'In this workspace; -w for short.',
    group,
    from,
  },
  'all-workspaces': {
    kind: boolean(),
    default: 'false',
    sentence: 'In all that you may see, whatever the context says; -A for short.',
    group,
    from,
  },
  subtree: {
    kind: boolean(),
    default: 'false',
    sentence: 'Also in the workspaces below it.',
    group,
    from,
  },
  target: { kind: text('NAME'), sentence: 'Grants: those on this target.', group, from },
  inherited: {
    kind: boolean(),
    default: 'false',
    sentence: 'Grants: also what flows down from above.',
    group,
    from,
  },
  'service-account': { kind: text('NAME'), sentence: 'Tokens: those of this service account.', group, from },
  deployment: { kind: text('NAME'), sentence: 'Revisions: those of this deployment.', group, from },
} as const satisfies Settings;

export type PlaceFlag = keyof typeof PLACE_SETTINGS;

/** What the flags and the context say of where things are. */
export interface Place {
  /** As it was said, or as the context means it. */
  readonly workspace?: string | undefined;
  /** Said for this command, not only meant by the context. */
  readonly workspaceIsSaid?: boolean;
  readonly subtree?: boolean;
  readonly target?: string | undefined;
  readonly inherited?: boolean;
  readonly serviceAccount?: string | undefined;
  readonly deployment?: string | undefined;
}

export interface PlaceValues {
  readonly workspace?: string | undefined;
  readonly allWorkspaces?: boolean;
  readonly subtree?: boolean;
  readonly target?: string | undefined;
  readonly inherited?: boolean;
  readonly serviceAccount?: string | undefined;
  readonly deployment?: string | undefined;
}

/** What a kind has no use for is refused: whoever said it expects another answer. */
export function placeOf(
  { plural, takes }: { readonly plural: string; readonly takes: readonly PlaceFlag[] },
  values: PlaceValues,
  contextWorkspace: string | undefined,
): Place {
  const { workspace, allWorkspaces = false, subtree = false, target, inherited = false } = values;
  const { serviceAccount, deployment } = values;
  const said: Readonly<Record<PlaceFlag, boolean>> = {
    workspace: workspace !== undefined,
    'all-workspaces': allWorkspaces,
    subtree,
    target: target !== undefined,
    inherited,
    'service-account': serviceAccount !== undefined,
    deployment: deployment !== undefined,
  };
  const useless = Object.entries(said).find(([flag, given]) => given && !takes.some((each) => each === flag));
  if (useless !== undefined) throw new UsageError(`--${useless[0]} says nothing about ${plural}; leave it out`);
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
  };
}

export function workspaceOf({ workspace }: Place): string {
  if (workspace !== undefined) return workspace;
  throw new UsageError(
    'say in which workspace with -w, or keep one: fleetshift config set-context --current --workspace NAME',
  );
}

export function serviceAccountOf({ serviceAccount }: Place): string {
  if (serviceAccount !== undefined) return serviceAccount;
  throw new UsageError('say of which service account with --service-account');
}

export function deploymentOf({ deployment }: Place): string {
  if (deployment !== undefined) return deployment;
  throw new UsageError('say of which deployment with --deployment');
}
