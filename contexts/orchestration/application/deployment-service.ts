import type { Precondition } from '#kit/std';
import { type FieldFault, parseResourceName, type ResourceName, StdError } from '#kit/std';
import type {
  Deployment,
  DeploymentId,
  DeploymentOwner,
  DeploymentPlace,
  DeploymentSpec,
} from '../domain/deployment/deployment.ts';
import {
  type DeploymentDraft,
  draftOf,
  hideSecrets,
  newDeployment,
  placementTypesIn,
  specOf,
  targetsNamedIn,
} from '../domain/deployment/deployment-draft.ts';
import { DeploymentError, deploymentNotFound, invalidDeployment } from '../domain/deployment/deployment-error.ts';
import { type DeploymentPatch, patchedDraft, redrafted } from '../domain/deployment/patch-deployment.ts';
import { specReferences, unsealSpec } from '../domain/deployment/sealed-spec.ts';
import { childShapeFaults, draftFaults, type SpecRules, shapeFaults } from '../domain/deployment/spec-faults.ts';
import { cycleThrough, holdsHealthGate } from '../domain/deployment/status/gate-waits.ts';
import { changed } from '../domain/deployment/status/with-status.ts';
import { SPEC_AXES } from '../domain/deployment/trigger.ts';
import type { Fingerprint } from '../domain/manifest/split-secrets.ts';
import { insertDeployment, saveDeployment } from './pipeline/save-deployment.ts';
import type { UnitOfWork } from './ports.ts';
import { refuseForGroup } from './refuse-for-group.ts';
import { postRolloutState, requestPlan } from './wake-pipeline.ts';

export interface DeploymentServiceDeps {
  readonly newUid: () => DeploymentId;
  readonly rules: SpecRules;
  readonly fingerprint: Fingerprint;
}

/** The actor and the time. */
export interface Acting {
  readonly by: string;
  /** The users who wrote the change, if the actor only passes it on: a group acts for its authors. */
  readonly authors?: readonly string[];
  readonly now: number;
}

/** For callers that need permission to place on the platform itself; throws if they lack it. */
export interface Placing {
  readonly mayPlaceLocally: () => Promise<void>;
}

export interface CreateDeployment extends Acting, Placing {
  readonly workspace: ResourceName;
  readonly name: string;
  /** It has passed its schema. */
  readonly draft: DeploymentDraft;
}

/** The deployment to change, and the precondition. */
export interface ChangeDeployment extends Acting {
  readonly workspace: ResourceName;
  readonly name: ResourceName;
  readonly precondition: Precondition<Deployment>;
}

/** A child as its group wants it. All permissions were checked when the group was written. */
export interface ChildCommand extends Acting {
  readonly owner: DeploymentOwner;
  readonly workspace: DeploymentPlace;
  readonly name: string;
  readonly draft: DeploymentDraft;
}

/**
 * The commands on deployments. The caller provides the unit of work, and decides whether it is committed: a dry run is
 * not. The service keeps no state between calls, so a unit may be run again. A command that changes nothing writes
 * nothing and announces nothing.
 */
export class DeploymentService {
  readonly #deps: DeploymentServiceDeps;

  constructor(deps: DeploymentServiceDeps) {
    this.#deps = deps;
  }

  async create(unit: UnitOfWork, command: CreateDeployment, signal: AbortSignal): Promise<Deployment> {
    const { workspace: name } = command;
    const place = await unit.workspaces.find(name, signal);
    if (place === undefined) {
      throw new DeploymentError('NO_SUCH_WORKSPACE', `There is no workspace ${name} to create the deployment in.`);
    }
    const shape = childShapeFaults(command.draft, this.#deps.rules);
    const its = { ...command, workspace: { name, path: place.path }, owner: undefined, shape };
    return await this.#create(unit, its, signal);
  }

  async get(
    store: Pick<UnitOfWork['deployments'], 'find'>,
    { workspace, name }: Pick<ChangeDeployment, 'workspace' | 'name'>,
    signal: AbortSignal,
  ): Promise<Deployment> {
    const deployment = await store.find(workspace, name, signal);
    if (deployment === undefined) throw deploymentNotFound(workspace, name);
    return deployment;
  }

  async patch(
    unit: UnitOfWork,
    command: ChangeDeployment & Placing & { readonly patch: DeploymentPatch },
    signal: AbortSignal,
  ): Promise<Deployment> {
    const current = await this.get(unit.deployments, command, signal);
    command.precondition.check(current);
    refuseWhileDeleting(current);
    await refuseForGroup(unit, current, 'change', signal);
    const secrets = await unit.contents.openSecrets(specReferences(current.spec), signal);
    const draft = patchedDraft(draftOf(current, unsealSpec(current.spec, secrets)), command.patch);
    return await this.#redraft(unit, { ...command, current, draft }, signal);
  }

  /**
   * A rollout removes the deployment from its targets; then it is gone. A child is refused: its group would create it
   * again, after an outage.
   */
  async delete(unit: UnitOfWork, command: ChangeDeployment, signal: AbortSignal): Promise<Deployment> {
    const current = await this.get(unit.deployments, command, signal);
    command.precondition.check(current);
    if (current.deletion === undefined) await refuseForGroup(unit, current, 'delete', signal);
    return await this.#delete(unit, current, command, signal);
  }

  async createChild(unit: UnitOfWork, command: ChildCommand, signal: AbortSignal): Promise<Deployment> {
    const shape = shapeFaults(command.draft, this.#deps.rules);
    return await this.#create(unit, { ...command, shape, mayPlaceLocally: async () => {} }, signal);
  }

  /** Everything as the group says, except whether the child is paused. */
  async replaceChild(
    unit: UnitOfWork,
    command: Acting & { readonly uid: DeploymentId; readonly draft: DeploymentDraft },
    signal: AbortSignal,
  ): Promise<Deployment> {
    const current = await this.#child(unit, command.uid, signal);
    refuseWhileDeleting(current);
    return await this.#redraft(unit, { ...command, current, mayPlaceLocally: async () => {} }, signal);
  }

  async deleteChild(
    unit: UnitOfWork,
    command: Acting & { readonly uid: DeploymentId },
    signal: AbortSignal,
  ): Promise<Deployment> {
    return await this.#delete(unit, await this.#child(unit, command.uid, signal), command, signal);
  }

  async #create(unit: UnitOfWork, command: ChildOrOwn, signal: AbortSignal): Promise<Deployment> {
    const { workspace, draft, owner, by, now } = command;
    const { newUid, fingerprint, rules } = this.#deps;
    const name = parseName(command.name);
    const waiter = { name: command.name, workspace };
    await this.#check(unit, waiter, command, signal);
    if (await unit.deployments.find(workspace.name, name, signal)) throw nameTaken(workspace.name, name);
    const founding = { uid: newUid(), name, workspace, owner, fingerprint, now };
    const { deployment, secrets } = newDeployment(hideSecrets(draft, rules.manifests), founding);
    await unit.contents.keepSecrets(secrets, signal);
    await insertDeployment(unit, deployment, signal);
    await unit.authors.add(deployment.uid, authorsIn(command), deployment.generation, signal);
    const trigger = { kind: 'spec', axes: SPEC_AXES, by, isNew: true } as const;
    await requestPlan(unit, deployment.uid, { triggers: [trigger], now }, signal);
    await unit.events.append([{ type: 'deployment.created', deployment }], now, signal);
    return deployment;
  }

  async #redraft(unit: UnitOfWork, command: Redraft, signal: AbortSignal): Promise<Deployment> {
    const { current, draft, by, now } = command;
    const { fingerprint, rules } = this.#deps;
    await this.#check(unit, current, { ...command, shape: shapeFaults(draft, rules) }, signal);
    const hidden = hideSecrets(draft, rules.manifests);
    const { deployment, axes, secrets } = redrafted(current, hidden, { fingerprint, now });
    if (deployment === current) return current;
    await unit.contents.keepSecrets(secrets, signal);
    const events = [{ type: 'deployment.updated', deployment }] as const;
    await saveDeployment(unit, { before: current, after: deployment, events, now }, signal);
    if (axes.length > 0) {
      await unit.authors.add(deployment.uid, authorsIn(command), deployment.generation, signal);
      await requestPlan(unit, deployment.uid, { triggers: [{ kind: 'spec', axes, by }], now }, signal);
    }
    if (deployment.rolloutState !== current.rolloutState) await postRolloutState(unit, deployment, by, signal);
    return deployment;
  }

  async #delete(unit: UnitOfWork, current: Deployment, acting: Acting, signal: AbortSignal): Promise<Deployment> {
    const { by, now } = acting;
    if (current.deletion !== undefined) return current;
    const deployment = changed(current, { deletion: { time: now, by }, generation: current.generation + 1 }, now);
    const events = [{ type: 'deployment.deleting', deployment }] as const;
    await saveDeployment(unit, { before: current, after: deployment, events, now }, signal);
    await unit.authors.add(deployment.uid, authorsIn(acting), deployment.generation, signal);
    await requestPlan(unit, deployment.uid, { triggers: [{ kind: 'delete', by }], now }, signal);
    return deployment;
  }

  /** All faults are reported at once. Schema faults come first, since all other checks rely on the schema. */
  async #check(
    unit: UnitOfWork,
    its: { readonly name: string; readonly workspace: DeploymentPlace },
    { draft, shape, mayPlaceLocally }: Checking,
    signal: AbortSignal,
  ): Promise<void> {
    const { rules } = this.#deps;
    if (shape.length > 0) throw invalidDeployment(shape);
    const placed = placementTypesIn(draft);
    const named = targetsNamedIn(draft, rules.placements);
    const pool = named.length === 0 ? [] : await unit.pool.below(its.workspace.path, { refs: named }, signal);
    const waiter = { name: its.name, spec: specOf(draft) };
    const cycle = holdsHealthGate(waiter) ? await cycleFaults(unit, its.workspace, waiter, signal) : [];
    const faults = [...draftFaults(draft, { rules, pool }), ...cycle];
    if (faults.length > 0) throw invalidDeployment(faults);
    if (placed.has('local')) await mayPlaceLocally();
  }

  async #child(unit: UnitOfWork, uid: DeploymentId, signal: AbortSignal): Promise<Deployment> {
    const child = await unit.deployments.get(uid, signal);
    if (child?.owner === undefined) throw new DeploymentError('DEPLOYMENT_NOT_FOUND', `There is no child ${uid}.`);
    return child;
  }
}

interface Checking extends Placing {
  readonly draft: DeploymentDraft;
  readonly shape: readonly FieldFault[];
}

type ChildOrOwn = Acting &
  Checking &
  Omit<ChildCommand, 'owner'> & {
    readonly owner: DeploymentOwner | undefined;
  };

interface Redraft extends Acting, Placing {
  readonly current: Deployment;
  readonly draft: DeploymentDraft;
}

function authorsIn({ by, authors = [] }: Acting): readonly string[] {
  return [...new Set([by, ...authors])];
}

async function cycleFaults(
  { deployments }: UnitOfWork,
  workspace: DeploymentPlace,
  waiter: { readonly name: string; readonly spec: DeploymentSpec },
  signal: AbortSignal,
): Promise<readonly FieldFault[]> {
  const others = await deployments.inWorkspaces([workspace.path], signal);
  const cycle = cycleThrough(waiter, others);
  if (cycle === undefined) return [];
  const path = waiter.spec.manifest.type === 'deploymentGroup' ? '/manifest' : '/rollout';
  const message = `would wait forever: ${[...cycle, cycle[0]].join(' waits for ')}`;
  return [{ path, message }];
}

function parseName(name: string): ResourceName {
  try {
    return parseResourceName(name);
  } catch (error) {
    if (!(error instanceof StdError)) throw error;
    const message = 'must be 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end';
    throw invalidDeployment([{ path: '/name', message }]);
  }
}

function nameTaken(workspace: string, name: string): DeploymentError {
  return new DeploymentError(
    'NAME_TAKEN',
    `There is a deployment ${name} in the workspace ${workspace} already. Choose another name.`,
    { faults: [{ path: '/name', message: 'is taken' }] },
  );
}

function refuseWhileDeleting({ name, deletion }: Deployment): void {
  if (deletion === undefined) return;
  throw new DeploymentError(
    'DEPLOYMENT_DELETING',
    `Deployment ${name} is being deleted and can no longer be changed. Create another one once it is gone.`,
  );
}
