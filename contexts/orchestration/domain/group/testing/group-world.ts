import type { Uuid } from '#kit/std';
import type { ChildDeployment, DeploymentGroupSpec } from '../../manifest/group/deployment-group.ts';
import type { ChildHealth, ChildView } from '../child-view.ts';
import { decideGroup, type GroupAction, type GroupDecision } from '../decide-group.ts';
import { digestGroup } from '../group-document.ts';
import type { GroupScene } from '../group-scene.ts';
import { type GroupState, newGroup } from '../group-state.ts';
import { type AskOutcome, recordOutcomes } from '../record-outcomes.ts';

/** A deployment of the simulated workspace. */
export interface WorldChild {
  readonly uid: Uuid;
  body: string;
  generation: number;
  health: ChildHealth;
  isMoving: boolean;
  hasRollout: boolean;
  isPaused: boolean;
  isDeleting: boolean;
}

/** One step of a group: its children, as `a`, or `a=2` for another body. */
export type Steps = readonly (readonly string[])[];

/** A workspace with one group, whose controller looks when the test says so. */
export class GroupWorld {
  readonly children = new Map<string, WorldChild>();
  readonly taken = new Set<string>();
  /** Names of children whose creation is refused. */
  readonly refused = new Set<string>();
  state: GroupState;
  now = 1_000;
  isPaused = false;
  aborted: number | undefined;
  lastGood: number | undefined;
  desired: { readonly revision: number; readonly spec: DeploymentGroupSpec } | undefined;
  decision: GroupDecision | undefined;
  /** All actions so far, as `create a`. */
  readonly log: string[] = [];
  #revision = 0;
  #uids = 0;

  constructor() {
    this.state = newGroup(this.now);
  }

  /** Sets the next revision of the group. */
  want(steps: Steps, onFailure: 'halt' | 'rollback' = 'halt'): this {
    this.#revision += 1;
    this.aborted = undefined;
    this.desired = { revision: this.#revision, spec: aGroup(steps, onFailure) };
    return this;
  }

  /** Aborts the latest rollout of the group, or a later one of the same revision. */
  abort(rollout = this.#revision): this {
    this.aborted = rollout;
    return this;
  }

  /** Starts another rollout of the same revision. */
  retry(): this {
    this.aborted = undefined;
    return this;
  }

  unwant(): this {
    this.desired = undefined;
    return this;
  }

  scene(): GroupScene {
    const { isPaused, aborted, taken, lastGood } = this;
    const desired = this.desired && { ...this.desired, spec: digestGroup(this.desired.spec) };
    return {
      desired,
      isPaused,
      aborted,
      taken,
      lastGood,
      children: [...this.children].map(([name, child]) => viewOf(name, child)),
    };
  }

  /** Looks once, and carries out the actions. */
  look(): readonly GroupAction[] {
    const before = this.state;
    const decision = decideGroup(before, this.scene(), this.now);
    const outcomes = new Map<string, AskOutcome>();
    for (const action of decision.actions) {
      const outcome = this.#act(action);
      if (outcome !== undefined && action.kind !== 'rollback') outcomes.set(action.name, outcome);
    }
    this.decision = decision;
    this.state = recordOutcomes(
      { before, decided: decision.state, revision: this.desired?.revision ?? 0, outcomes },
      this.now,
    );
    if (decision.state.phase === 'Healthy') this.lastGood = this.desired?.revision;
    return decision.actions;
  }

  /** Looks until there is nothing more to do. Returns the actions, in order. */
  settle(): string[] {
    const from = this.log.length;
    for (let looks = 0; looks < 50; looks += 1) if (this.look().length === 0) return this.log.slice(from);
    throw new Error(`it goes round: ${this.log.slice(from).join(', ')}`);
  }

  child(name: string): WorldChild {
    const child = this.children.get(name);
    if (child === undefined) throw new Error(`there is no ${name}`);
    return child;
  }

  become(name: string, health: ChildHealth, isMoving = health === 'Progressing'): this {
    Object.assign(this.child(name), { health, isMoving, hasRollout: isMoving });
    return this;
  }

  /** By its own policy, for example. */
  rollBack(name: string): this {
    const child = this.child(name);
    child.generation += 1;
    child.body = 'what it was before';
    return this;
  }

  /** Everything under way succeeds. */
  succeed(): this {
    for (const [name, child] of this.children) {
      if (child.isDeleting) this.children.delete(name);
      else if (!child.isPaused) this.become(name, 'Healthy');
    }
    return this;
  }

  /** Until nothing changes any more. Returns the actions, in order. */
  finish(): string[] {
    const from = this.log.length;
    for (let rounds = 0; rounds < 50; rounds += 1) {
      this.settle();
      const before = JSON.stringify([...this.children]);
      this.succeed();
      if (JSON.stringify([...this.children]) === before) return this.log.slice(from);
    }
    throw new Error('it does not come to an end');
  }

  #act(action: GroupAction): AskOutcome | undefined {
    this.log.push(wordsOf(action));
    switch (action.kind) {
      case 'create':
      case 'patch': {
        if (this.refused.has(action.name)) return { kind: 'refused', message: 'it is not allowed' };
        this.#ask(action.name, action.kind === 'create');
        return { kind: 'done', generation: this.child(action.name).generation };
      }
      case 'rename': {
        this.children.set(action.to, this.child(action.name));
        this.children.delete(action.name);
        return undefined;
      }
      case 'delete':
        this.child(action.name).isDeleting = true;
        return undefined;
      case 'pause':
      case 'resume':
        this.child(action.name).isPaused = action.kind === 'pause';
        return undefined;
      case 'abort':
        this.become(action.name, 'Degraded');
        return undefined;
      case 'retry':
        this.become(action.name, 'Progressing');
        return undefined;
      case 'rollback':
        return undefined;
    }
  }

  #ask(name: string, isNew: boolean): void {
    if (isNew === this.children.has(name)) throw new Error(`${name} is ${isNew ? 'made twice' : 'not there'}`);
    const wanted = this.desired?.spec.deployments.find((child) => child.name === name);
    const body = bodyOf(wanted);
    if (!isNew) {
      const child = this.child(name);
      child.generation += 1;
      Object.assign(child, { body, health: 'Progressing', isMoving: true, hasRollout: false });
      return;
    }
    this.#uids += 1;
    const uid = `00000000-0000-7000-8000-${String(this.#uids).padStart(12, '0')}` as Uuid;
    this.children.set(name, {
      uid,
      body,
      generation: 1,
      health: 'Progressing',
      isMoving: true,
      hasRollout: false,
      isPaused: false,
      isDeleting: false,
    });
  }
}

/** The body of a child, without its name. */
export function bodyOf(child: ChildDeployment | undefined): string {
  return JSON.stringify({ ...child, name: '' });
}

export function aGroup(steps: Steps, onFailure: 'halt' | 'rollback' = 'halt'): DeploymentGroupSpec {
  const parsed = steps.map((step) => step.map((text) => text.split('=')));
  return {
    type: 'deploymentGroup',
    deployments: parsed.flat().map(([name = '', body = '1']) => ({
      name,
      manifest: { type: 'inline', own: name.at(0) ?? '' },
      config: { body },
    })),
    sequence: parsed.map((step) => ({ step: step.map(([name = '']) => name) })),
    onFailure,
  };
}

function viewOf(name: string, child: WorldChild): ChildView {
  const { body: _, ...seen } = child;
  return { ...seen, name, message: child.health === 'Degraded' ? 'it hurts' : '' };
}

function wordsOf(action: GroupAction): string {
  if (action.kind === 'rollback') return `rollback ${action.to}`;
  if (action.kind === 'rename') return `rename ${action.name} ${action.to}`;
  return action.kind === 'patch' ? `patch ${action.name} ${action.fields.join(',')}` : `${action.kind} ${action.name}`;
}
