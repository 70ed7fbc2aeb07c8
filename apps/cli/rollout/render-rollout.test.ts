import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Colour, plain } from '../output/paint.ts';
import { aDeployment, anApproval, aRollout, aStep, aTarget, NOW, TIME } from '../testing/a-deployment.ts';
import { renderRollout } from './render-rollout.ts';
import type { Drawing, RolloutPicture } from './rollout-picture.ts';

const DRAWING: Drawing = { now: NOW, paint: plain, limit: 20, allTargets: false };

function drawn(picture: Partial<RolloutPicture>, drawing: Partial<Drawing> = {}): string {
  const whole = { deployment: aDeployment(), targets: [], approvals: [], children: [], ...picture };
  return renderRollout(whole, { ...DRAWING, ...drawing }).join('\n');
}

test('a staged rollout at its gate: stages, who is asked, and by what it goes on', () => {
  const gate = { id: 'canary/after/0', type: 'approval', since: TIME };
  const deployment = aDeployment({
    counts: { available: 7, underWay: 1, unknown: 1, offline: 1 },
    rollout: {
      steps: [
        aStep('canary', { done: 4, gate }),
        aStep('eu', { fate: 'ahead', targets: 5 }),
        aStep('rest', { fate: 'passed', targets: 0 }),
      ],
      waits: [
        {
          kind: 'gate',
          gate: gate.id,
          since: TIME,
          until: '2030-01-01T01:10:00.000Z',
          message: 'waits for an approval',
          unblock: 'approve or reject it',
        },
      ],
    },
  });
  assert.equal(
    drawn({ deployment, approvals: [anApproval()] }),
    `web in shop: revision 7 Running for 2m
  the manifest was changed; requested by user:alice
  10 targets: 7 available, 1 in progress, 1 of unknown health, 1 offline

STAGE   PROGRESS                    DONE  STATE
canary  [########################]  4/4   open, at the gate approval for 2m
eu      [........................]  0/5   pending
rest    -                           0/0   passed: nothing to change

Waiting for:
- the gate canary/after/0 for 2m, until 2030-01-01T01:10:00Z (in 60m): waits for an approval
  requested by user:alice; needs a second person, not one of user:alice
  to continue: approve or reject it: fleetshift rollout approve web -w shop`,
  );
});

test('a held removal names the targets that wait for the room', () => {
  const held = ['a', 'b'].map((id) => ({ id, why: 'MaxRemoval', message: 'is no longer among the best 2' }));
  const waiting = ['c', 'd'].map((name) => ({ id: `uid-${name}`, name, why: 'NoRoom', message: 'no room' }));
  const deployment = aDeployment({ placement: { held, waiting } });
  assert.match(
    drawn({ deployment }),
    /targets: a, b: is no longer among the best 2\n {2}after that it is placed on targets: c, d\n {2}to continue:/,
  );
});

test('a move that waits for earlier ones continues by itself', () => {
  const held = [{ id: 'a', why: 'MovesUnfinished', message: 'earlier moves have not ended' }];
  assert.match(
    drawn({ deployment: aDeployment({ placement: { held } }) }),
    /^- the end of earlier moves to remove it from targets: a: .*\n {2}to continue: it continues by itself; at once: fleetshift/m,
  );
});

test('a gate that no one can pass says so, and how an administrator does', () => {
  const gate = { id: 'prod/before/0', type: 'approval', since: TIME };
  const wait = {
    kind: 'gate',
    gate: gate.id,
    since: TIME,
    message: 'waits for an approval',
    unblock: 'approve or reject it',
  };
  const deployment = aDeployment({ rollout: { steps: [aStep('prod', { gate })], waits: [{ ...wait, kind: 'gate' }] } });
  const approval = anApproval({ gate: gate.id, requesters: ['user:alice', 'user:bob'], noEligibleApprover: true });
  assert.match(
    drawn({ deployment, approvals: [approval] }),
    /needs a second person, not one of user:alice, user:bob\. No eligible person may approve here: grant one the role, or approve with --override as an administrator\n/,
  );
});

test('a rollout that paused for failures: which targets, why, and what to do', () => {
  const deployment = aDeployment({
    counts: { available: 8, failed: 2 },
    rollout: {
      phase: 'Paused',
      reason: 'FailuresExceeded',
      message: '2 targets failed',
      steps: [aStep('batch-1', { targets: 10, done: 3, failed: 2, underWay: 1 })],
      waits: [
        { kind: 'resume', since: TIME, message: '2 targets failed', unblock: 'resume, retry, roll back or abort it' },
      ],
    },
  });
  const targets = [
    aTarget('b', { order: { kind: 'deliver', revision: 7, state: 'accepted', since: TIME } }),
    aTarget('a', { failure: { reason: 'Rejected', message: 'no such kind', revision: 7 } }),
    aTarget('c'),
  ];
  assert.equal(
    drawn({ deployment, targets }),
    `web in shop: revision 7 Paused (FailuresExceeded: 2 targets failed) for 2m
  the manifest was changed; requested by user:alice
  10 targets: 8 available, 2 failed

STAGE    PROGRESS                    DONE  STATE
batch-1  [#######>>xxxxx..........]  3/10  open, 1 in progress, 2 failed

Waiting for:
- a person for 2m: 2 targets failed
  to continue: resume, retry, roll back or abort it
    fleetshift rollout retry web -w shop
    fleetshift rollout rollback web -w shop
    fleetshift rollout resume web -w shop

TARGET  STATE     DELIVERY  HAS  HEALTH     FOR  WHY
a       failed    Failed    7    Available  2m   Rejected: no such kind
b       applying  Applying  7    Available  2m`,
  );
});

test('targets that are waited for are named, however the platform names them', () => {
  const deployment = aDeployment({
    rollout: {
      waits: [
        {
          kind: 'offline',
          since: TIME,
          message: 'targets are offline',
          unblock: 'they come back',
          count: 12,
          targets: ['uid-of-a', 'b'],
        },
      ],
    },
  });
  assert.match(drawn({ deployment, targets: [aTarget('a')] }), /are offline: a, b and 10 more$/m);
});

test('a removal that is held says who would lose it, and how to agree', () => {
  const held = [{ id: 'uid-of-a', why: 'NoCause', message: 'it is not known why' }];
  const picture = { deployment: aDeployment({ placement: { held } }), targets: [aTarget('a')] };
  assert.match(
    drawn(picture),
    /- confirmation to remove it from targets: a: it is not known why\n {2}to continue: fleetshift rollout confirm-removal web -w shop/,
  );
});

for (const { why, open, first, last, before, after } of [
  { why: 'the first of many', open: 1, first: 1, last: 12, before: undefined, after: '18 more after: 0 of 72 done' },
  {
    why: 'one in the middle',
    open: 10,
    first: 7,
    last: 18,
    before: '6 more before: 24 of 24 done',
    after: '12 more after: 0 of 48 done',
  },
  { why: 'the last', open: 30, first: 19, last: 30, before: '18 more before: 72 of 72 done', after: undefined },
]) {
  test(`of many stages those around the open one are shown: ${why}`, () => {
    const steps = Array.from({ length: 30 }, (_, index) => {
      const fate = index + 1 < open ? 'cleared' : index + 1 === open ? 'open' : 'ahead';
      return aStep(`batch-${index + 1}`, { fate, done: fate === 'cleared' ? 4 : 0 });
    });
    const text = drawn({ deployment: aDeployment({ rollout: { steps } }) });
    const names = [...text.matchAll(/^batch-(\d+) /gm)].map(([, number]) => Number(number));
    assert.deepEqual([names.at(0), names.at(-1), names.length], [first, last, 12]);
    assert.deepEqual([/^\d+ more before.*$/m.exec(text)?.[0], /^\d+ more after.*$/m.exec(text)?.[0]], [before, after]);
  });
}

test('a group shows how its children stand', () => {
  const gate = { kind: 'gate', since: TIME, message: '', unblock: '' } as const;
  const children = [
    aDeployment({ its: { name: 'shop-db', reconciling: false }, rollout: { phase: 'Finished', outcome: 'Succeeded' } }),
    aDeployment({ its: { name: 'shop-web' }, counts: { available: 3 }, rollout: { waits: [gate] } }),
  ];
  assert.match(
    drawn({ children }),
    /^CHILD +REVISION +AVAILABLE +STATE\nshop-db +7 +10\/10 +Succeeded\nshop-web +7 +3\/10 +Waiting \(gate\)$/m,
  );
});

test('a group says what it waits for, since when, and what would help', () => {
  const wait = { child: 'shop-db', since: TIME, message: 'is degraded', unblock: 'mend it' };
  const message = 'step 1 of 2: shop-db is degraded';
  const group = { phase: 'Degraded' as const, since: TIME, message, waits: [wait] };
  assert.match(
    drawn({ group }),
    /^The group is Degraded for 2m: step 1 of 2: shop-db is degraded\n- shop-db: is degraded, for 2m\n {2}to continue: mend it$/m,
  );
});

test('one that cannot be planned says why, and since when', () => {
  const blocked = { reason: 'PlanFailed', message: 'no such label', since: TIME };
  assert.equal(
    drawn({ deployment: aDeployment({ blocked, counts: { placed: 1, available: 0 } }) }),
    'web in shop: nothing rolled out yet\n  1 target: 0 available\n  PlanFailed for 2m: no such label',
  );
});

test('many targets are cut, and how to see all is said', () => {
  const targets = ['a', 'b', 'c'].map((name) => aTarget(name, { online: false }));
  const lines = drawn({ targets }, { limit: 2 }).split('\n');
  assert.equal(lines.at(-1), 'and 1 more; --limit 3 shows them');
});

test('those that are done are shown when asked for', () => {
  assert.doesNotMatch(drawn({ targets: [aTarget('a')] }), /^a /m);
  assert.match(drawn({ targets: [aTarget('a')] }, { allTargets: true }), /^a +done/m);
});

for (const { why, rollout, want } of [
  { why: 'its turn is to come', rollout: { steps: [aStep('all', { done: 3 })] }, want: /^a +pending/m },
  {
    why: 'all had their turn, and it had nothing to change',
    rollout: { steps: [aStep('all', { done: 4 })] },
    want: /^a +done/m,
  },
  { why: 'it is over', rollout: { phase: 'Finished', steps: [aStep('all')] }, want: /^a +done/m },
] as const) {
  test(`a target with what an earlier revision brought: ${why}`, () => {
    const deployment = aDeployment({ rollout: { ...rollout, steps: [...rollout.steps] } });
    const targets = [aTarget('a', { applied: { revision: 6, hash: 'y' } })];
    assert.match(drawn({ deployment, targets }, { allTargets: true }), want);
  });
}

test('what comes from a platform moves no cursor', () => {
  const deployment = aDeployment({
    rollout: { trigger: 'x\u001b[2Jy' },
    blocked: { reason: 'a\nb', message: '\r', since: TIME },
  });
  const failure = { reason: 'Rejected', message: '\u001b[1A', revision: 7 };
  const text = drawn({ deployment, targets: [aTarget('a', { failure })] });
  for (const each of ['\u001b', '\r', 'a\nb']) assert.ok(!text.includes(each));
});

test('colours: what is wrong is red, what waits for somebody yellow', () => {
  const paint = (colour: Colour, text: string): string => `<${colour}>${text}`;
  const gate = { id: 'g', type: 'wait', since: TIME };
  const rollout = aRollout({
    steps: [aStep('a', { failed: 1 }), aStep('b', { gate }), aStep('c', { fate: 'cleared' })],
  });
  const text = drawn({ deployment: aDeployment({ rollout }) }, { paint });
  for (const each of [/^<red>a /m, /^<yellow>b /m, /^<green>c /m]) assert.match(text, each);
});
