import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredEvent } from '#kit/storage/outbox';
import { mayReadEvent } from './event-visibility.ts';

const signal = new AbortController().signal;
const ann = { kind: 'user', id: 'ann' };
const BORN = 1_000;
const uidAt = (time: number, tail: string): string => {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${tail.padStart(12, '0')}`;
};
const WEB = uidAt(BORN, '1');
const T1 = uidAt(BORN, '3');

interface Question {
  readonly permission: string;
  readonly resource: { readonly kind: string; readonly name: string };
}

/** Ann's permissions, as `permission kind/name`; and the existing workspaces. */
function world(
  has: readonly string[],
  workspaces: Readonly<Record<string, string>> = { web: WEB, emea: uidAt(1, '2') },
) {
  return {
    allows: async (_: unknown, { permission, resource: { kind, name } }: Question) =>
      has.includes(`${permission} ${kind}/${name}`),
    uidOf: (name: string, kind = 'workspace') => (kind === 'target' ? T1 : workspaces[name]),
  };
}

function event(type: string, over: Partial<StoredEvent> = {}): StoredEvent {
  const data = { uid: WEB, parent: 'emea' };
  return { id: 'e', position: 1, type, key: 'workspaces/web', scope: 'web', time: 2_000, data, ...over };
}

const READS_WEB = ['events.read workspace/web', 'workspaces.read workspace/web', 'targets.read workspace/web'];
const READS_EMEA = ['events.read workspace/emea', 'workspaces.read workspace/emea'];
const READS_ROOT = ['events.read workspace/root', 'workspaces.read workspace/root', 'targets.read workspace/root'];
const target = { key: 'targets/t1' };

for (const { why, has, what, workspaces, want } of [
  { why: 'who reads the workspace reads its events', has: READS_WEB, what: event('workspace.updated'), want: true },
  { why: 'events alone are not enough', has: READS_WEB.slice(0, 1), what: event('workspace.updated'), want: false },
  { why: 'the workspace alone is not enough', has: READS_WEB.slice(1), what: event('workspace.updated'), want: false },
  { why: 'grants are for those who may read grants', has: READS_WEB, what: event('grant.created'), want: false },
  { why: 'a kind that nobody thought of is for nobody', has: READS_WEB, what: event('teapot.boiled'), want: false },
  ...['deployment.created', 'rollout.finished', 'delivery.changed', 'approval.requested'].flatMap((type) => [
    { why: `${type} is not for who sees targets only`, has: READS_WEB, what: event(type), want: false },
    {
      why: `${type} is for who may read such things`,
      has: [...READS_WEB, `${type.startsWith('approval') ? 'approvals' : 'deployments'}.read workspace/web`],
      what: event(type),
      want: true,
    },
  ]),
  {
    why: 'of a workspace that is gone its parent tells',
    has: READS_EMEA,
    what: event('workspace.deleted'),
    workspaces: { emea: uidAt(1, '2') },
    want: true,
  },
  {
    why: 'who has the name of a workspace that is gone is not told of the earlier one',
    has: READS_WEB,
    what: event('workspace.updated'),
    workspaces: { web: uidAt(5_000, '9'), emea: uidAt(1, '2') },
    want: false,
  },
  {
    why: 'nor of what was in it',
    has: READS_WEB,
    what: event('target.created', target),
    workspaces: { web: uidAt(5_000, '9') },
    want: false,
  },
  {
    why: 'what concerns nothing that is left is for those who see everything',
    has: READS_ROOT,
    what: event('target.created', target),
    workspaces: {},
    want: true,
  },
  {
    why: 'one target that was granted alone',
    has: ['events.read target/t1', 'targets.read target/t1'],
    what: event('target.updated', { ...target, data: { uid: T1 } }),
    want: true,
  },
  {
    why: 'an earlier target of its name was another one',
    has: ['events.read target/t1', 'targets.read target/t1'],
    what: event('target.updated', { ...target, data: { uid: uidAt(1, '4') } }),
    want: false,
  },
  {
    why: 'and of what placement sees of it',
    has: ['events.read target/t1', 'targets.read target/t1'],
    what: event('target.placementChanged', { ...target, data: { fields: [], view: { id: T1 } } }),
    want: true,
  },
  {
    why: 'that it left elsewhere is not for him',
    has: ['events.read target/t1', 'targets.read target/t1'],
    what: event('target.removed', target),
    want: false,
  },
]) {
  test(why, async () => {
    assert.equal(await mayReadEvent(world(has, workspaces), { principal: ann, event: what }, signal), want);
  });
}
