import { type ChildDeployment, type DeploymentGroupSpec, stepsOf } from '../manifest/group/deployment-group.ts';
import { type GroupDelta, groupDelta } from '../manifest/group/group-delta.ts';
import type { ChildView } from './child-view.ts';
import type { GroupScene } from './group-scene.ts';
import type { ChildRecord, ChildStanding, GroupState } from './group-state.ts';

/** Everything about one child: the desired state, the requested state and the actual state. */
export interface Member {
  readonly name: string;
  /** For a child that is no longer wanted, the last step it was in. */
  readonly step: number;
  readonly wanted: ChildDeployment | undefined;
  readonly record: ChildRecord | undefined;
  readonly view: ChildView | undefined;
  /** The fields to patch if the child exists; empty when everything was requested already. */
  readonly fields: readonly string[];
  /** Why nothing can be requested of it now. */
  readonly refusal: string | undefined;
  /** It was rolled back, by a user or by its own policy, and does not have what the group requested. */
  readonly isStray: boolean;
  readonly standing: ChildStanding;
}

/** Wanted children in the order of their steps, then the others. */
export function membersOf(state: GroupState, scene: GroupScene, now: number): readonly Member[] {
  const views = new Map(scene.children.map((view) => [view.name, view]));
  const patches = new Map(deltaOf(state, scene).patches.map(({ child, fields }) => [child.name, fields]));
  const wanted = wantedOf(scene);
  const leaving = scene.children.filter(({ name }) => !wanted.has(name));
  return [
    ...[...wanted].map(([name, { child, step }]): Member => {
      const found = { name, step, wanted: child, record: recordOf(state, name), view: views.get(name) };
      return wantedMember({ ...found, patched: patches.get(name) ?? [], scene, now });
    }),
    ...leaving.map((view): Member => {
      const record = recordOf(state, view.name);
      const rest = { fields: [], refusal: undefined, isStray: false, standing: 'Leaving' } as const;
      return { name: view.name, step: record?.step ?? wanted.size, wanted: undefined, record, view, ...rest };
    }),
  ];
}

/**
 * The difference between what was requested of the existing children that are not being deleted and what is wanted now.
 */
export function deltaOf(state: GroupState, { desired, children }: GroupScene): GroupDelta {
  const asked = children.flatMap(({ name, isDeleting }) => {
    const record = recordOf(state, name);
    return isDeleting ? [] : [{ child: record?.asked ?? UNASKED(name), step: record?.step ?? 0 }];
  });
  return groupDelta(asked.length === 0 ? undefined : askedSpec(asked), desired?.spec);
}

/** Own properties only: `constructor` is a valid name. */
export function recordOf({ children }: GroupState, name: string): ChildRecord | undefined {
  return Object.hasOwn(children, name) ? children[name] : undefined;
}

/** The first step that is not done; later steps have not begun, or are held. Infinity when all steps are done. */
export function frontierOf(members: readonly Member[]): number {
  const unsettled = members.filter(({ wanted, standing }) => wanted !== undefined && standing !== 'Healthy');
  return Math.min(...unsettled.map(({ step }) => step));
}

/** The wanted state was requested, whatever its result. */
export function isAsked({ view, fields, refusal }: Member): boolean {
  return view !== undefined && !view.isDeleting && fields.length === 0 && refusal === undefined;
}

/** A deployment that belongs to the group but has no record: everything is requested again. */
const UNASKED = (name: string): ChildDeployment => ({ name, manifest: { type: '' } });

function askedSpec(asked: readonly { child: ChildDeployment; step: number }[]): DeploymentGroupSpec {
  const steps = [...new Set(asked.map(({ step }) => step))].sort((a, b) => a - b);
  return {
    type: 'deploymentGroup',
    deployments: asked.map(({ child }) => child),
    sequence: steps.map((step) => ({
      step: asked.filter((each) => each.step === step).map(({ child }) => child.name),
    })),
  };
}

function wantedOf({ desired }: GroupScene): ReadonlyMap<string, { child: ChildDeployment; step: number }> {
  if (desired === undefined) return new Map();
  const byName = new Map(desired.spec.deployments.map((child) => [child.name, child]));
  return new Map(
    stepsOf(desired.spec).flatMap((names, step) =>
      names.flatMap((name) => {
        const child = byName.get(name);
        return child === undefined ? [] : [[name, { child, step }] as const];
      }),
    ),
  );
}

interface Found extends Pick<Member, 'name' | 'step' | 'record' | 'view'> {
  readonly wanted: ChildDeployment;
  readonly patched: readonly string[];
  readonly scene: GroupScene;
  readonly now: number;
}

function wantedMember({ patched, scene, now, ...its }: Found): Member {
  const { wanted, record, view, name } = its;
  const isOther =
    record?.generation !== undefined && view?.isDeleting === false && view.generation !== record.generation;
  // A child that was rolled back is patched again by the next revision of the group, not before: the two would fight.
  const isAskedAgain = isOther && record.revision < (scene.desired?.revision ?? 0);
  const isStray = isOther && !isAskedAgain && patched.length === 0;
  const fields = isAskedAgain ? Object.keys(wanted).filter((key) => key !== 'name') : patched;
  const refusal = view === undefined && scene.taken.has(name) ? TAKEN : refusalOf(record, scene, now);
  const member = { ...its, fields, refusal, isStray };
  return { ...member, standing: standingOf(member) };
}

const TAKEN = 'a deployment outside the group has its name';

/** A refusal only holds for the revision of the group that was refused. */
function refusalOf(record: ChildRecord | undefined, { desired }: GroupScene, now: number): string | undefined {
  const refusal = record?.refusal;
  if (refusal === undefined || refusal.revision !== desired?.revision || now >= refusal.until) return undefined;
  return refusal.message;
}

function standingOf({ view, fields, refusal, isStray }: Omit<Member, 'standing'>): ChildStanding {
  if (refusal !== undefined || isStray) return 'Degraded';
  if (view === undefined) return 'Waiting';
  if (view.isDeleting) return 'Leaving';
  if (fields.length > 0) return view.health === 'Degraded' ? 'Degraded' : 'Waiting';
  return view.health;
}
