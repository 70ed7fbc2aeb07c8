import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { conditionOf, type Observed, planFiles } from './plan-files.ts';

const path = fc.constantFrom('a', 'a/b', 'a/b/c', 'b', 'B', 'c/d', 'c/e');
const sha256 = fc.constantFrom('one', 'two');
const mode = fc.constantFrom(0o644, 0o600);
const owned = fc.dictionary(path, fc.record({ sha256, mode }, { noNullPrototype: true }), { noNullPrototype: true });
const observed: fc.Arbitrary<Observed> = fc.oneof(
  fc.constant({ kind: 'absent' as const }),
  fc.record({ kind: fc.constant('file' as const), sha256, mode }, { noNullPrototype: true }),
  fc.constant({ kind: 'other' as const, what: 'a link' }),
);
const desiredFile = fc.record({
  path,
  content: fc.constant(new Uint8Array()),
  sha256,
  mode,
  adopts: fc.boolean(),
  isSecret: fc.boolean(),
});
const situation = fc.record({
  desired: fc.uniqueArray(desiredFile, { selector: ({ path: its }) => its }),
  owned,
  others: fc.dictionary(path, fc.constant('other')).map((its) => new Map(Object.entries(its))),
  disk: fc.dictionary(path, observed).map((its) => new Map(Object.entries(its))),
});

/** The folder after the plan was carried out. */
function carriedOut(disk: ReadonlyMap<string, Observed>, plan: ReturnType<typeof planFiles>): Map<string, Observed> {
  const after = new Map(disk);
  if (plan.kind === 'conflict') return after;
  for (const file of plan.writes) after.set(file.path, { kind: 'file', sha256: file.sha256, mode: file.mode });
  for (const gone of plan.removals) after.set(gone, { kind: 'absent' });
  return after;
}

describe('a plan for files', () => {
  it('brings about what is desired, and then has nothing left to do', () => {
    fc.assert(
      fc.property(situation, (its) => {
        const plan = planFiles(its);
        fc.pre(plan.kind === 'plan');
        const disk = carriedOut(its.disk, plan);
        const files = Object.fromEntries(
          its.desired.map((file) => [file.path, { sha256: file.sha256, mode: file.mode }]),
        );
        assert.deepEqual(conditionOf(files, disk), { health: 'Available', message: '', drift: [] });
        const again = planFiles({ ...its, owned: files, disk });
        assert.deepEqual(again, { kind: 'plan', writes: [], removals: [] });
      }),
    );
  });

  it('never touches what is neither desired nor ours', () => {
    fc.assert(
      fc.property(situation, (its) => {
        const plan = planFiles(its);
        if (plan.kind === 'conflict') return;
        for (const gone of plan.removals) {
          assert.ok(Object.hasOwn(its.owned, gone));
          assert.equal(its.disk.get(gone)?.kind, 'file');
        }
        for (const { path: written, adopts } of plan.writes) {
          const there = its.disk.get(written) ?? { kind: 'absent' };
          assert.ok(
            there.kind === 'absent' || (there.kind === 'file' && (adopts || Object.hasOwn(its.owned, written))),
          );
          assert.ok(!its.others.has(written));
        }
      }),
    );
  });

  it('removes a file before the folder that it is in', () => {
    const file = { kind: 'file', sha256: 'one', mode: 0o644 } as const;
    const its = { 'a/b': { sha256: 'one', mode: 0o644 }, 'a/b/c': { sha256: 'one', mode: 0o644 } };
    const plan = planFiles({
      desired: [],
      owned: its,
      others: new Map(),
      disk: new Map([
        ['a/b', file],
        ['a/b/c', file],
      ]),
    });
    assert.deepEqual(plan.kind === 'plan' && plan.removals, ['a/b/c', 'a/b']);
  });

  it('names the deployment that a path is of, also as a folder and without regard to case', () => {
    const desired = (its: string) => ({
      desired: [{ path: its, content: new Uint8Array(), sha256: 'one', mode: 0o644, adopts: true, isSecret: false }],
      owned: {},
      others: new Map([['etc/App', 'shop']]),
      disk: new Map(),
    });
    for (const its of ['etc/App', 'etc/app', 'ETC', 'etc/app/x']) {
      const plan = planFiles(desired(its));
      assert.match(plan.kind === 'conflict' ? plan.message : '', /belongs to the deployment shop/, its);
    }
    assert.equal(planFiles(desired('etc/other')).kind, 'plan');
  });
});

describe('the condition of files', () => {
  it('is drift where they were changed, and degraded where they are missing', () => {
    const its = {
      a: { sha256: 'one', mode: 0o644 },
      b: { sha256: 'one', mode: 0o644 },
      c: { sha256: 'one', mode: 0o644 },
    };
    const disk = new Map<string, Observed>([
      ['a', { kind: 'file', sha256: 'two', mode: 0o644 }],
      ['b', { kind: 'file', sha256: 'one', mode: 0o600 }],
      ['c', { kind: 'file', sha256: 'one', mode: 0o644 }],
    ]);
    assert.deepEqual(conditionOf(its, disk), { health: 'Available', message: '', drift: ['a', 'b'] });
    disk.set('c', { kind: 'other', what: 'a link' });
    disk.delete('a');
    assert.deepEqual(conditionOf(its, disk), {
      health: 'Degraded',
      message: 'a, c are missing',
      drift: ['a', 'b', 'c'],
    });
  });
});
