import { type ChildDeployment, type DeploymentGroupSpec, stepsOf } from '../manifest/group/deployment-group.ts';
import { type GroupDelta, groupDelta } from '../manifest/group/group-delta.ts';
import type { ChildView } from './child-view.ts';
import type { GroupScene } from './group-scene.ts';
import type { ChildRecord, ChildStanding, GroupState } from './group-state.ts';

/** One child, from all sides: what is wanted of it, what it was asked, what it is. */
export interface Member {
  readonly name: string;
  /** Of those that are not wanted, the last one that they were in. */
  readonly step: number;
  readonly wanted: ChildDeployment | undefined;
  readonly record: ChildRecord | undefined;
  readonly view: ChildView | undefined;
  /** What it has to be asked, beside being there; empty when it was asked all. */
  readonly fields: readonly string[];
  /** Why it cannot be asked now. */
  readonly refusal: string | undefined;
  /** It was rolled back, by a person or by its own policy, and has not what the group gave it. */
  readonly isStray: boolean;
  readonly standing: ChildStanding;
}

/** Those that are wanted step by step, then the others. */
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

/** What was asked of those that are there and stay there, against what is wanted now. */
export function deltaOf(state: GroupState, { wish, children }: GroupScene): GroupDelta {
  const asked = children.flatMap(({ name, isDeleting }) => {
    const record = recordOf(state, name);
    return isDeleting ? [] : [{ child: record?.asked ?? UNASKED(name), step: record?.step ?? 0 }];
  });
  return groupDelta(asked.length === 0 ? undefined : askedSpec(asked), wish?.spec);
}

/** Only what the record has of its own: `constructor` is a name like any other. */
export function recordOf({ children }: GroupState, name: string): ChildRecord | undefined {
  return Object.hasOwn(children, name) ? children[name] : undefined;
}

/** The first step that is not done; those behind it have not begun, or are held. Beyond all steps when all is well. */
export function frontierOf(members: readonly Member[]): number {
  const unsettled = members.filter(({ wanted, standing }) => wanted !== undefined && standing !== 'Healthy');
  return Math.min(...unsettled.map(({ step }) => step));
}

/** It has been asked to be what is wanted, whatever became of it. */
export function isAsked({ view, fields, refusal }: Member): boolean {
  return view !== undefined && !view.isDeleting && fields.length === 0 && refusal === undefined;
}

/** A deployment that is the group's, though nothing is remembered of it: all of it is asked anew. */
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

function wantedOf({ wish }: GroupScene): ReadonlyMap<string, { child: ChildDeployment; step: number }> {
  if (wish === undefined) return new Map();
  const byName = new Map(wish.spec.deployments.map((child) => [child.name, child]));
  return new Map(
    stepsOf(wish.spec).flatMap((names, step) =>
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
  // One that was rolled back is asked again by the next revision of the group, and not before: it would go round.
  const isAskedAgain = isOther && record.revision < (scene.wish?.revision ?? 0);
  const isStray = isOther && !isAskedAgain && patched.length === 0;
  const fields = isAskedAgain ? Object.keys(wanted).filter((key) => key !== 'name') : patched;
  const refusal = view === undefined && scene.taken.has(name) ? TAKEN : refusalOf(record, scene, now);
  const member = { ...its, fields, refusal, isStray };
  return { ...member, standing: standingOf(member) };
}

const TAKEN = 'a deployment that is not of the group has its name';

/** Another revision of the group is another question. */
function refusalOf(record: ChildRecord | undefined, { wish }: GroupScene, now: number): string | undefined {
  const refusal = record?.refusal;
  if (refusal === undefined || refusal.revision !== wish?.revision || now >= refusal.until) return undefined;
  return refusal.message;
}

function standingOf({ view, fields, refusal, isStray }: Omit<Member, 'standing'>): ChildStanding {
  if (refusal !== undefined || isStray) return 'Degraded';
  if (view === undefined) return 'Waiting';
  if (view.isDeleting) return 'Leaving';
  if (fields.length > 0) return view.health === 'Degraded' ? 'Degraded' : 'Waiting';
  return view.health;
}
