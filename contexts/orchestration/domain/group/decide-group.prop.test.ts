import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stepsOf } from '../manifest/group/deployment-group.ts';
import { CHILD_HEALTHS } from './child-view.ts';
import { decideGroup, type GroupAction, REFUSAL_RETRY_MS } from './decide-group.ts';
import { bodyOf, GroupWorld, type Steps } from './testing/group-world.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'constructor'] as const;

/** Names and bodies in steps; names with the same first letter have the same body. */
const steps: fc.Arbitrary<Steps> = fc
  .uniqueArray(fc.constantFrom(...NAMES, 'a2', 'b2'), { minLength: 1, maxLength: 6 })
  .chain((names) =>
    fc
      .array(fc.record({ body: fc.nat({ max: 1 }), breaks: fc.boolean() }), {
        minLength: names.length,
        maxLength: names.length,
      })
      .map((its) => {
        const found: string[][] = [[]];
        for (const [index, name] of names.entries()) {
          if (its[index]?.breaks === true && found.at(-1)?.length !== 0) found.push([]);
          found.at(-1)?.push(`${name}=${its[index]?.body}`);
        }
        return found;
      }),
  );

const someone = fc.constantFrom(...NAMES, 'a2', 'b2');
const onFailure = fc.constantFrom('halt', 'rollback');

/** An event in the simulated world. One that does not apply has no effect. */
const event = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('want'), steps, onFailure }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('health'),
      name: someone,
      health: fc.constantFrom(...CHILD_HEALTHS),
      isMoving: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('succeed') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete'), name: someone }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('gone'), name: someone }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('vanish'), name: someone }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stray'), name: someone }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pauseChild'), name: someone }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('pause', 'resume') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('abort', 'retry') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('take'), name: someone }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refuse'), name: someone }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('time') }) },
  /** The process crashes in the middle of a look: nothing of it is stored. */
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unwant') }) },
);
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

function happen(world: GroupWorld, its: Event): void {
  const child = 'name' in its ? world.children.get(its.name) : undefined;
  switch (its.kind) {
    case 'want':
      if ('steps' in its) world.want(its.steps, its.onFailure);
      return;
    case 'health':
      if (child !== undefined && 'health' in its) world.become(its.name, its.health, its.isMoving);
      return;
    case 'succeed':
      world.succeed();
      return;
    case 'delete':
      if (child !== undefined) child.isDeleting = true;
      return;
    case 'gone':
      if (child?.isDeleting === true && 'name' in its) world.children.delete(its.name);
      return;
    case 'vanish':
      if ('name' in its) world.children.delete(its.name);
      return;
    case 'stray':
      if (child !== undefined && 'name' in its) world.rollBack(its.name);
      return;
    case 'pauseChild':
      if (child !== undefined) child.isPaused = true;
      return;
    case 'pause':
    case 'resume':
      world.isPaused = its.kind === 'pause';
      return;
    case 'abort':
      world.abort();
      return;
    case 'retry':
      world.retry();
      return;
    case 'take':
      if (child === undefined && 'name' in its) world.taken.add(its.name);
      return;
    case 'refuse':
      if ('name' in its) world.refused.add(its.name);
      return;
    case 'time':
      world.now += REFUSAL_RETRY_MS;
      return;
    case 'crash':
      decideGroup(world.state, world.scene(), world.now);
      return;
    case 'unwant':
      world.unwant();
  }
}

/** The actions that a group that stands still may take. */
const STILL: readonly GroupAction['kind'][] = ['pause', 'resume', 'abort'];

/** Checks the invariants. Looks at the world as it is before the actions are carried out. */
function audit(world: GroupWorld): readonly GroupAction[] {
  const scene = world.scene();
  const before = structuredClone(world.state);
  const was = new Map([...world.children].map(([name, child]) => [name, { ...child }]));
  const decision = decideGroup(world.state, scene, world.now);
  assert.deepEqual(world.state, before, 'the state is a value');
  assert.deepEqual(JSON.parse(JSON.stringify(decision.state)), decision.state, 'the state is plain JSON');
  assert.deepEqual(decideGroup(before, scene, world.now), decision, 'the same look gives the same decision');
  const { desired } = world;
  const isDone = (name: string) => {
    const child = was.get(name);
    const wanted = desired?.spec.deployments.find((each) => each.name === name);
    return child?.health === 'Healthy' && !child.isDeleting && child.body === bodyOf(wanted);
  };
  for (const action of decision.actions) check(action);
  if (decision.state.phase === 'Healthy') {
    const names = desired === undefined ? [] : stepsOf(desired.spec).flat();
    assert.ok(
      names.every((name) => isDone(name) || isRenamed(name)),
      'healthy, and somebody is not',
    );
    assert.equal(was.size, names.length, 'healthy, and somebody is there who should not be');
  } else if (!decision.isGone) {
    assert.notEqual(decision.explanation.waits.length, 0, 'it waits, and does not say for what');
  }
  assert.ok(decision.wakeAt === undefined || decision.wakeAt > world.now, 'it would look again without end');
  for (const { since, message, unblock } of decision.explanation.waits) {
    assert.ok(since <= world.now && message !== '' && unblock !== '');
  }
  return world.look();

  function isRenamed(name: string): boolean {
    const action = decision.actions.find((each) => each.kind === 'rename' && each.to === name);
    return action?.kind === 'rename' && was.get(action.name)?.health === 'Healthy';
  }

  function check(action: GroupAction): void {
    const isStill = world.isPaused || (world.aborted !== undefined && desired !== undefined);
    if (isStill) assert.ok(STILL.includes(action.kind), 'a group that is paused or aborted begins something');
    if (action.kind === 'create' || action.kind === 'patch') {
      const place = desired === undefined ? -1 : stepsOf(desired.spec).findIndex((step) => step.includes(action.name));
      assert.notEqual(place, -1, 'it asks somebody who is not wanted');
      const earlier = desired === undefined ? [] : stepsOf(desired.spec).slice(0, place).flat();
      assert.ok(
        earlier.every((name) => isDone(name) || isRenamed(name)),
        `${action.name} begins before its turn`,
      );
    }
    if (action.kind === 'delete') {
      const wanted = desired === undefined ? [] : stepsOf(desired.spec).flat();
      assert.ok(!wanted.includes(action.name), 'it deletes somebody who is wanted');
      const stepOf = (name: string) => world.state.children[name]?.step ?? Infinity;
      const leaving = [...was.keys()].filter((name) => !wanted.includes(name) && !isRenamedFrom(name));
      assert.ok(
        leaving.every((name) => stepOf(name) <= stepOf(action.name)),
        'it deletes before what comes behind is gone',
      );
    }
    if (action.kind === 'rollback') assert.equal(desired?.spec.onFailure, 'rollback');
  }

  function isRenamedFrom(name: string): boolean {
    return decision.actions.some((each) => each.kind === 'rename' && each.name === name);
  }
}

/** From here on everything succeeds. */
function calmDown(world: GroupWorld): void {
  world.isPaused = false;
  world.retry();
  world.taken.clear();
  world.refused.clear();
  world.now += REFUSAL_RETRY_MS;
  // A revision that was given up, and a child that was rolled back, wait for the next revision.
  if (world.desired !== undefined) {
    const { spec, revision } = world.desired;
    world.desired = { revision: revision + 1_000, spec: { ...spec, onFailure: 'halt' } };
  }
}

function settle(world: GroupWorld): void {
  for (let looks = 0; looks < 60; looks += 1) if (audit(world).length === 0) return;
  assert.fail(`it goes round: ${world.log.slice(-12).join(', ')}`);
}

test('over any groups and schedules: the order holds, nothing wanted is deleted, it always says what it waits for, and ends well', () => {
  fc.assert(
    fc.property(steps, onFailure, fc.array(event, { maxLength: 40 }), (first, policy, events) => {
      const world = new GroupWorld().want(first, policy);
      for (const each of events) {
        world.now += 1;
        happen(world, each);
        settle(world);
      }
      calmDown(world);
      for (let rounds = 0; rounds < 40; rounds += 1) {
        world.now += 1;
        settle(world);
        for (const [name, child] of world.children) {
          if (child.isDeleting) world.children.delete(name);
          else if (!child.isPaused || world.state.children[name]?.isHeld !== true) {
            child.isPaused = false;
            world.become(name, 'Healthy');
          }
        }
      }
      settle(world);
      if (world.desired === undefined) {
        assert.equal(world.decision?.isGone, true);
        return;
      }
      assert.equal(world.state.phase, 'Healthy', String(world.decision?.explanation.message));
      const found = new Map([...world.children].map(([name, { body }]) => [name, body]));
      assert.deepEqual(found, new Map(world.desired.spec.deployments.map((child) => [child.name, bodyOf(child)])));
    }),
    { numRuns: 300 },
  );
});

test('a rollback is asked for at most once for each revision', () => {
  fc.assert(
    fc.property(steps, fc.array(event, { maxLength: 40 }), (first, events) => {
      const world = new GroupWorld().want(first, 'rollback');
      const asked = new Set<number>();
      for (const each of events) {
        world.now += 1;
        happen(world, each);
        for (let looks = 0; looks < 60; looks += 1) {
          const actions = world.look();
          if (actions.some(({ kind }) => kind === 'rollback')) {
            const revision = world.desired?.revision ?? 0;
            assert.ok(!asked.has(revision));
            asked.add(revision);
          }
          if (actions.length === 0) break;
        }
      }
    }),
  );
});
