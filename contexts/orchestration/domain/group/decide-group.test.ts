import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { REFUSAL_RETRY_MS } from './decide-group.ts';
import { GroupWorld, type Steps } from './testing/group-world.ts';

const TIERS: Steps = [['db'], ['api', 'jobs'], ['web']];

/** A group that is healthy at its first revision. */
function healthy(steps: Steps, onFailure: 'halt' | 'rollback' = 'halt'): GroupWorld {
  const world = new GroupWorld().want(steps, onFailure);
  world.finish();
  assert.equal(world.state.phase, 'Healthy');
  return world;
}

const messages = (world: GroupWorld) => world.decision?.explanation.waits.map(({ message }) => message);

describe('the sequence of a group', () => {
  test('a step begins when all of the one before are healthy', () => {
    const world = new GroupWorld().want(TIERS);
    assert.deepEqual(world.settle(), ['create db']);
    assert.deepEqual(world.become('db', 'Healthy').settle(), ['create api', 'create jobs']);
    assert.deepEqual(world.become('api', 'Healthy').settle(), [], 'one of the two is not enough');
    assert.deepEqual(world.become('jobs', 'Healthy').settle(), ['create web']);
    assert.equal(world.state.phase, 'Deploying');
    assert.deepEqual(world.become('web', 'Healthy').settle(), []);
    assert.equal(world.state.phase, 'Healthy');
    assert.equal(world.decision?.explanation.message, 'all 4 deployments are healthy');
  });

  test('a group that is healthy asks for nothing', () => {
    const world = healthy(TIERS);
    const { state } = world;
    world.now += 1;
    assert.deepEqual(world.settle(), []);
    assert.deepEqual(world.state, state);
  });

  test('it says what it waits for, since when, and what would help', () => {
    const world = new GroupWorld().want(TIERS);
    world.settle();
    world.now += 60_000;
    world.look();
    assert.deepEqual(world.decision?.explanation, {
      phase: 'Deploying',
      since: 1_000,
      health: 'Progressing',
      message: 'step 1 of 3: db is not healthy yet',
      waits: [{ child: 'db', since: 1_000, message: 'db is not healthy yet', unblock: 'db becomes healthy' }],
    });
  });

  test('is pending as long as it is paused before it began', () => {
    const world = new GroupWorld().want(TIERS);
    world.isPaused = true;
    assert.deepEqual(world.settle(), []);
    assert.equal(world.state.phase, 'Pending');
    assert.deepEqual(messages(world), ['the group is paused', 'db is not healthy yet']);
  });
});

describe('a child that turns degraded', () => {
  test('halts the group, with the reason', () => {
    const world = new GroupWorld().want(TIERS);
    world.settle();
    assert.deepEqual(world.become('db', 'Degraded').settle(), []);
    assert.equal(world.state.phase, 'Degraded');
    assert.equal(world.decision?.explanation.health, 'Degraded');
    assert.equal(world.decision?.explanation.message, 'step 1 of 3: db is degraded: it hurts');
  });

  test('while a later step runs, stops that one too, until it is healthy again', () => {
    const world = new GroupWorld().want(TIERS);
    world.settle();
    world.become('db', 'Healthy').settle();
    world.become('api', 'Healthy').settle();
    assert.deepEqual(world.become('db', 'Degraded').settle(), ['pause jobs'], 'api is done, and left alone');
    assert.deepEqual(messages(world), ['db is degraded: it hurts']);
    assert.deepEqual(world.become('db', 'Progressing').settle(), []);
    assert.deepEqual(world.become('db', 'Healthy').settle(), ['resume jobs']);
    assert.deepEqual(world.become('jobs', 'Healthy').settle(), ['create web']);
  });

  test('after all was healthy stops nobody: that is not the doing of a change', () => {
    const world = healthy(TIERS);
    world.become('web', 'Progressing').become('db', 'Degraded');
    assert.deepEqual(world.settle(), []);
    assert.equal(world.state.phase, 'Degraded');
  });

  test('lets the group go on by itself once it is healthy', () => {
    const world = new GroupWorld().want(TIERS);
    world.settle();
    world.become('db', 'Degraded').settle();
    assert.deepEqual(world.become('db', 'Healthy').settle(), ['create api', 'create jobs']);
  });
});

describe('onFailure: rollback', () => {
  const changed: Steps = [['db=2'], ['api', 'jobs'], ['web=2']];

  test('asks for the last revision that succeeded, once, and begins nothing more', () => {
    const world = healthy(TIERS, 'rollback').want(changed, 'rollback');
    assert.deepEqual(world.settle(), ['patch db config']);
    assert.deepEqual(world.become('db', 'Degraded', false).settle(), ['rollback 1']);
    assert.deepEqual(messages(world), ['the change is rolled back', 'db is degraded: it hurts']);
    assert.deepEqual(world.become('db', 'Healthy').settle(), [], 'what was given up is not gone on with');
  });

  test('reaches the children with the revision that brings back what was', () => {
    const world = healthy(TIERS, 'rollback').want(changed, 'rollback');
    world.settle();
    world.become('db', 'Degraded', false).settle();
    assert.deepEqual(world.want(TIERS, 'rollback').finish(), ['patch db config']);
    assert.equal(world.state.phase, 'Healthy');
  });

  for (const { why, arrange } of [
    { why: 'a child that may still get better', arrange: (world: GroupWorld) => world.become('db', 'Degraded', true) },
    {
      why: 'a child that this revision did not touch',
      arrange: (world: GroupWorld) => world.become('api', 'Degraded', false),
    },
    {
      why: 'a group that was never healthy',
      arrange: (world: GroupWorld) => {
        world.lastGood = undefined;
        return world.become('db', 'Degraded', false);
      },
    },
  ]) {
    test(`not for ${why}`, () => {
      const world = healthy(TIERS, 'rollback').want(changed, 'rollback');
      world.settle();
      assert.deepEqual(arrange(world).settle(), []);
      assert.equal(world.state.phase, 'Degraded');
    });
  }

  test('not for what breaks after all was healthy', () => {
    const world = healthy(TIERS, 'rollback').want(changed, 'rollback');
    world.finish();
    assert.deepEqual(world.become('db', 'Degraded', false).settle(), []);
  });
});

describe('a patch of a group', () => {
  for (const { why, to, does } of [
    { why: 'nothing', to: TIERS, does: [] },
    { why: 'one child, by its field', to: [['db'], ['api=2', 'jobs'], ['web']], does: ['patch api config'] },
    {
      why: 'two children, step by step',
      to: [['db=2'], ['api', 'jobs'], ['web=2']],
      does: ['patch db config', 'patch web config'],
    },
    { why: 'another order', to: [['web'], ['db', 'api'], ['jobs']], does: [] },
    { why: 'a new child in the middle', to: [['db'], ['cache'], ['api', 'jobs'], ['web']], does: ['create cache'] },
    { why: 'fewer, in reverse', to: [['jobs']], does: ['delete web', 'delete api', 'delete db'] },
    { why: 'another name alone', to: [['data'], ['api', 'jobs'], ['web']], does: ['rename db data'] },
    {
      why: 'another name and body: the new one is there before the old one goes',
      to: [['data=2'], ['api', 'jobs'], ['web']],
      does: ['create data', 'delete db'],
    },
    {
      why: 'all of it together',
      to: [['data'], ['jobs=2', 'cache'], ['web']],
      does: ['rename db data', 'patch jobs config', 'create cache', 'delete api'],
    },
  ] satisfies { why: string; to: Steps; does: string[] }[]) {
    test(`changes ${why}`, () => {
      const world = healthy(TIERS).want(to);
      assert.deepEqual(world.finish(), does);
      assert.equal(world.state.phase, 'Healthy');
    });
  }

  test('reordered while it runs goes by the new order', () => {
    const world = new GroupWorld().want([['db'], ['web']]);
    world.settle();
    assert.deepEqual(world.want([['web'], ['db']]).settle(), ['create web'], 'db is there already, and goes on');
    assert.deepEqual(messages(world), ['web is not healthy yet']);
  });

  test('a rename keeps the deployment, and waits for the name to be free', () => {
    const world = healthy([['db'], ['web']]).want([['data'], ['web']]);
    const { uid } = world.child('db');
    world.taken.add('data');
    assert.deepEqual(world.settle(), []);
    assert.equal(world.state.phase, 'Degraded');
    assert.equal(world.decision?.wakeAt, world.now + REFUSAL_RETRY_MS);
    world.taken.clear();
    assert.deepEqual(world.finish(), ['rename db data']);
    assert.equal(world.child('data').uid, uid);
  });

  test('one that comes back before it went stays', () => {
    const world = healthy(TIERS).want([['db=2'], ['web=2']]);
    assert.deepEqual(world.settle(), ['patch db config'], 'nobody goes before every step has begun');
    assert.deepEqual(world.want(TIERS).finish(), ['patch db config']);
  });
});

describe('a child that is deleted on its own', () => {
  test('is made again once it is gone', () => {
    const world = healthy(TIERS);
    world.child('api').isDeleting = true;
    assert.deepEqual(world.settle(), []);
    assert.equal(world.state.phase, 'Deploying');
    assert.deepEqual(messages(world), ['api was deleted on its own']);
    world.children.delete('api');
    assert.deepEqual(world.settle(), ['create api']);
    world.finish();
    assert.equal(world.state.phase, 'Healthy');
  });

  test('of a step that has not its turn waits for it', () => {
    const world = healthy(TIERS);
    world.children.delete('web');
    assert.deepEqual(world.become('db', 'Degraded').settle(), []);
    assert.deepEqual(world.become('db', 'Healthy').settle(), ['create web']);
  });
});

describe('a child that was rolled back', () => {
  test('has not what the group gave it, and is asked again by the next revision only', () => {
    const world = healthy(TIERS);
    assert.deepEqual(world.rollBack('api').settle(), []);
    assert.equal(world.state.phase, 'Degraded');
    assert.deepEqual(messages(world), ['api was rolled back and does not have what the group requested']);
    assert.deepEqual(world.want([['db'], ['api', 'jobs'], ['web=2']]).finish(), [
      'patch api config,manifest',
      'patch web config',
    ]);
    assert.equal(world.state.phase, 'Healthy');
  });
});

describe('a child that cannot be made', () => {
  test('degrades the group, and is tried again after a while', () => {
    const world = new GroupWorld().want(TIERS);
    world.refused.add('db');
    assert.deepEqual(world.settle(), ['create db']);
    assert.equal(world.state.phase, 'Degraded');
    assert.deepEqual(messages(world), ['db cannot be created: it is not allowed']);
    assert.equal(world.decision?.wakeAt, world.now + REFUSAL_RETRY_MS);
    world.refused.clear();
    assert.deepEqual(world.settle(), []);
    world.now += REFUSAL_RETRY_MS;
    assert.deepEqual(world.settle(), ['create db']);
  });

  test('is tried at once by another revision', () => {
    const world = new GroupWorld().want(TIERS);
    world.refused.add('db');
    world.settle();
    world.refused.clear();
    assert.deepEqual(world.want([['db=2']]).settle(), ['create db']);
  });

  test('keeps what it had when it was a patch', () => {
    const world = healthy(TIERS).want([['db=2'], ['api', 'jobs'], ['web']]);
    world.refused.add('db');
    assert.deepEqual(world.settle(), ['patch db config']);
    assert.deepEqual(world.want(TIERS).finish(), []);
    assert.equal(world.state.phase, 'Healthy');
  });
});

describe('a pause', () => {
  test('reaches the children, and ends with the group’s', () => {
    const world = healthy(TIERS);
    world.child('web').isPaused = true;
    world.isPaused = true;
    assert.deepEqual(world.settle(), ['pause db', 'pause api', 'pause jobs']);
    world.isPaused = false;
    assert.deepEqual(world.settle(), ['resume db', 'resume api', 'resume jobs'], 'web was paused by somebody else');
    assert.equal(world.child('web').isPaused, true);
  });

  test('lets nothing begin or go', () => {
    const world = healthy(TIERS).want([['db=2'], ['new']]);
    world.isPaused = true;
    assert.deepEqual(world.settle(), ['pause db', 'pause api', 'pause jobs', 'pause web']);
    world.isPaused = false;
    world.finish();
    assert.equal(world.state.phase, 'Healthy');
  });
});

describe('an abort', () => {
  /** The second step is under way: `api` is rolling out; the change of `jobs` was requested and has not begun. */
  function underWay(onFailure: 'halt' | 'rollback' = 'halt'): GroupWorld {
    const world = healthy(TIERS, onFailure).want([['db'], ['api=2', 'jobs=2'], ['web=2']], onFailure);
    assert.deepEqual(world.settle(), ['patch api config', 'patch jobs config']);
    return world.become('api', 'Progressing');
  }

  test('reaches the children whose rollouts are under way, once, and holds who has not begun', () => {
    const world = underWay().abort();
    assert.deepEqual(world.settle(), ['abort api', 'pause jobs']);
    assert.equal(world.state.phase, 'Degraded');
    assert.deepEqual(messages(world), [
      'the rollout of the group was aborted',
      'api is degraded: it hurts',
      'jobs is not healthy yet',
    ]);
    world.become('db', 'Progressing');
    assert.deepEqual(world.settle(), [], 'what begins later in a child has another cause');
  });

  test('lets nothing begin, and asks for no rollback', () => {
    const world = underWay('rollback').become('api', 'Healthy').become('jobs', 'Healthy').abort();
    assert.deepEqual(world.settle(), []);
    assert.equal(world.state.phase, 'Degraded', 'web has not what it should have');
    world.become('jobs', 'Degraded');
    assert.deepEqual(world.settle(), []);
  });

  test('of one in which all is well changes nothing', () => {
    const world = healthy(TIERS).abort();
    assert.deepEqual(world.settle(), []);
    assert.equal(world.state.phase, 'Healthy');
  });

  test('is over with the next rollout, which takes up what was aborted', () => {
    const world = underWay().abort();
    world.settle();
    assert.deepEqual(world.retry().settle(), ['retry api', 'resume jobs']);
    assert.deepEqual(world.finish(), ['patch web config']);
    assert.equal(world.state.phase, 'Healthy');
  });

  test('is over with a patch, which asks anew for what differs', () => {
    const world = underWay().abort();
    world.settle();
    assert.deepEqual(world.want([['db'], ['api=3', 'jobs=2'], ['web=2']]).settle(), [
      'patch api config',
      'resume jobs',
    ]);
    world.finish();
    assert.equal(world.state.phase, 'Healthy');
    assert.ok(!world.log.includes('retry api'));
  });

  test('of the same rollout is not handed on again, and of another one is', () => {
    const world = underWay().abort();
    world.settle();
    world.retry().settle();
    world.become('jobs', 'Progressing').abort((world.desired?.revision ?? 0) + 1);
    assert.deepEqual(world.settle(), ['abort api', 'abort jobs']);
  });
});

describe('a group that goes', () => {
  test('goes in reverse, each step once the one behind it is gone', () => {
    const world = healthy(TIERS).unwant();
    assert.deepEqual(world.settle(), ['delete web']);
    assert.equal(world.decision?.explanation.message, 'the group is being deleted: web leaves the group');
    world.children.delete('web');
    assert.deepEqual(world.settle(), ['delete api', 'delete jobs']);
    world.children.delete('jobs');
    assert.deepEqual(world.settle(), [], 'api is still there');
    world.children.delete('api');
    assert.deepEqual(world.settle(), ['delete db']);
    assert.equal(world.decision?.isGone, false);
    world.children.delete('db');
    world.settle();
    assert.equal(world.decision?.isGone, true);
  });
});
