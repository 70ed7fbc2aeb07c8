import { assertNever, parseResourceName } from '#kit/std';
import type { Deployment, DeploymentId } from '../../domain/deployment/deployment.ts';
import type { DeploymentDraft } from '../../domain/deployment/deployment-draft.ts';
import { DeploymentError } from '../../domain/deployment/deployment-error.ts';
import type { GroupAction } from '../../domain/group/decide-group.ts';
import type { AskOutcome } from '../../domain/group/record-outcomes.ts';
import { marked } from '../../domain/manifest/secret-mark.ts';
import { referencesIn } from '../../domain/manifest/secret-references.ts';
import { joinSecrets } from '../../domain/manifest/split-secrets.ts';
import type { Acting, DeploymentService } from '../deployment-service.ts';
import { bindWatches } from '../pipeline/save-deployment.ts';
import type { GroupRecord, UnitOfWork } from '../ports.ts';
import { rolloutCommands } from '../rollout-commands.ts';
import { requestPlan } from '../wake-pipeline.ts';

/** The operations that a group uses on its children. */
export type ChildService = Pick<DeploymentService, 'createChild' | 'replaceChild' | 'deleteChild'>;

export interface GroupScope {
  readonly unit: UnitOfWork;
  readonly service: ChildService;
  readonly record: GroupRecord;
  /** The group's own deployment; `undefined` once it is gone. */
  readonly deployment: Deployment | undefined;
  /** The authors of the group, who also count as authors of its children. */
  readonly authors: readonly string[];
  readonly now: number;
}

/** Carries out the actions, and returns the results of creating and patching children. */
export async function actOnGroup(
  scope: GroupScope,
  actions: readonly GroupAction[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, AskOutcome>> {
  const outcomes = new Map<string, AskOutcome>();
  for (const action of actions) {
    if (action.kind === 'create' || action.kind === 'patch')
      outcomes.set(action.name, await ask(scope, action, signal));
    else await act(scope, action, signal);
  }
  return outcomes;
}

type Asking = Extract<GroupAction, { kind: 'create' | 'patch' }>;

/** Errors that a user can fix are returned as a refusal; all others are thrown, and retried. */
async function ask(scope: GroupScope, action: Asking, signal: AbortSignal): Promise<AskOutcome> {
  try {
    const draft = await draftOf(scope, action.name, signal);
    const child =
      action.kind === 'create'
        ? await create(scope, { name: action.name, draft }, signal)
        : await scope.service.replaceChild(scope.unit, { ...actingFor(scope), uid: action.uid, draft }, signal);
    return { kind: 'done', generation: child.generation };
  } catch (error) {
    if (!(error instanceof DeploymentError) || !MENDABLE.includes(error.entry.category)) throw error;
    return { kind: 'refused', message: error.message };
  }
}

const MENDABLE: readonly string[] = ['invalid', 'conflict', 'not-found'];

async function create(
  scope: GroupScope,
  { name, draft }: { readonly name: string; readonly draft: DeploymentDraft },
  signal: AbortSignal,
): Promise<Deployment> {
  const { unit, service, deployment } = scope;
  if (deployment === undefined) throw new DeploymentError('DEPLOYMENT_NOT_FOUND', `The group of ${name} is gone.`);
  const owner = { group: deployment.uid, child: shortName(deployment.name, name) };
  const command = { ...actingFor(scope), owner, workspace: deployment.workspace, name, draft };
  return await service.createChild(unit, command, signal);
}

async function act(scope: GroupScope, action: Exclude<GroupAction, Asking>, signal: AbortSignal): Promise<void> {
  const { unit, service, record, now } = scope;
  switch (action.kind) {
    case 'rename':
      return await rename(scope, action, signal);
    case 'delete':
      await service.deleteChild(unit, { ...actingFor(scope), uid: action.uid }, signal);
      return;
    case 'pause':
    case 'resume':
    case 'abort':
    case 'retry':
      return await steer(scope, action, signal);
    case 'rollback': {
      const { to, reason } = action;
      const { by } = actingFor(scope);
      const trigger = { kind: 'rollback', to, paced: false, by, reason } as const;
      await requestPlan(unit, record.group, { triggers: [trigger], now }, signal);
      return;
    }
    default:
      return assertNever(action, 'action');
  }
}

async function steer(
  scope: GroupScope,
  { kind, uid }: { readonly kind: 'pause' | 'resume' | 'abort' | 'retry'; readonly uid: DeploymentId },
  signal: AbortSignal,
): Promise<void> {
  const child = await scope.unit.deployments.get(uid, signal);
  if (child === undefined) return;
  const { workspace, name } = child;
  const command = { ...actingFor(scope), workspace: workspace.name, name, precondition: { check: () => {} } };
  try {
    await rolloutCommands[kind](scope.unit, command, signal);
  } catch (error) {
    // It has recovered since the group was looked at.
    if (!(error instanceof DeploymentError && error.code === 'NOTHING_TO_RETRY')) throw error;
  }
}

/** Generated content may depend on the name of the deployment, so it is generated again. */
async function rename(
  scope: GroupScope,
  { uid, to }: { readonly uid: DeploymentId; readonly to: string },
  signal: AbortSignal,
): Promise<void> {
  const { unit, deployment, now } = scope;
  const child = await unit.deployments.get(uid, signal);
  if (child?.owner === undefined) return;
  const name = parseResourceName(to);
  const owner = { ...child.owner, child: shortName(deployment?.name ?? '', name) };
  const next = { ...child, name, owner, version: child.version + 1, updateTime: Math.max(now, child.updateTime) };
  await unit.groups.renameChild(next, signal);
  await bindWatches(unit, next, signal);
  await unit.events.append([{ type: 'deployment.updated', deployment: next }], now, signal);
  const trigger = { kind: 'regenerate', why: `it was renamed from ${child.name}` } as const;
  await requestPlan(unit, uid, { triggers: [trigger], now }, signal);
}

/**
 * The child's draft as a user would send it: secrets of the group's document are marked again, so that they stay secret.
 */
async function draftOf({ unit, record }: GroupScope, name: string, signal: AbortSignal): Promise<DeploymentDraft> {
  const child = record.spec?.deployments.find((each) => each.name === name);
  const { name: _, ...open } = child ?? {};
  const secrets = await unit.contents.openSecrets(referencesIn(open), signal);
  const marks = Object.fromEntries(Object.entries(secrets).map(([reference, secret]) => [reference, marked(secret)]));
  const joined = joinSecrets(open, marks);
  // Its shape is checked where the draft is used.
  if (joined.kind === 'joined') return joined.value as unknown as DeploymentDraft;
  const message = `${joined.references.length} of its secrets are no longer stored. Send the group again.`;
  throw new DeploymentError('INVALID_DEPLOYMENT', message);
}

/** The full name without the group's prefix; or all of it, if it had to be shortened. */
function shortName(group: string, name: string): string {
  return name.startsWith(`${group}-`) ? name.slice(group.length + 1) : name;
}

function actingFor({ record, deployment, now, authors }: GroupScope): Acting {
  return { by: `group:${deployment?.name ?? record.group}`, authors, now };
}
