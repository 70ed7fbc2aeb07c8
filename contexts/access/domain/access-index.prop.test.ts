import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '#kit/std';
import { testSeed } from '#testing/seeded';
import {
  AccessHistory,
  ASKED,
  caller,
  type Deed,
  deed,
  PATHS,
  TARGETS,
  WORKSPACES,
} from '../testing/access-history.ts';
import { NaiveAccess } from '../testing/naive-access.ts';
import type { AccessChange } from './access-change.ts';
import { AccessIndex } from './access-index.ts';
import { askerOf, type Caller } from './asker.ts';
import { parseResourcePath, pathOf, type ResourceRef } from './resource-ref.ts';
import { subjectKey } from './subject.ts';

const RUNS = { numRuns: 80, seed: testSeed() };
const deeds = fc.array(deed, { minLength: 5, maxLength: 40, size: 'max' });
const callers = fc.array(caller, { minLength: 1, maxLength: 4 });

test('after each deed of any history, every answer is what a plain search of everything would say', () => {
  fc.assert(
    fc.property(deeds, callers, (all, askers) => {
      play(all, (index, naive) => {
        for (const asker of askers) sameAnswers(index, naive, asker);
        sameSubjects(index, naive);
      });
    }),
    RUNS,
  );
});

test('being told everything twice makes no difference', () => {
  fc.assert(
    fc.property(deeds, callers, (all, askers) => {
      play(all, (index, naive, changes) => {
        // The event log delivers an equal change, not the same object.
        for (const change of changes) index.apply(structuredClone(change));
        for (const asker of askers) sameAnswers(index, naive, asker);
      });
    }),
    RUNS,
  );
});

test('an event log that limps behind what is applied at once brings nothing old back', () => {
  const steps = fc.array(fc.record({ deed, tailed: fc.constantFrom(0, 0, 1, 2) }), {
    minLength: 5,
    maxLength: 40,
    size: 'max',
  });
  fc.assert(
    fc.property(steps, callers, (all, askers) => {
      const log: AccessChange[] = [];
      let [position, step] = [0, 0];
      play(
        all.map(({ deed }) => deed),
        (index, naive, changes) => {
          log.push(...changes);
          const until = Math.min(log.length, position + (all[step++]?.tailed ?? 0));
          for (; position < until; position += 1) index.apply(structuredClone(log[position]) ?? assert.fail());
          for (const asker of askers) sameAnswers(index, naive, asker);
          sameSubjects(index, naive);
        },
      );
    }),
    RUNS,
  );
});

test('what a caller learns of another is what the other may do where the caller has access.lookup', () => {
  fc.assert(
    fc.property(deeds, caller, caller, (all, subject, reader) => {
      play(all, (index, naive) => {
        for (const permission of ASKED) {
          const visible = PATHS.filter((path) => naive.ask(reader, 'access.lookup', path) !== undefined);
          const allowed = new Map(visible.map((path) => [path, naive.ask(subject, permission, path)]));
          samePages(index, { caller: subject, permission, reader }, allowed);
        }
      });
    }),
    RUNS,
  );
});

test('whatever order the news of different things comes in, the end is the same', () => {
  fc.assert(
    fc.property(deeds, fc.infiniteStream(fc.nat(1_000)), callers, (all, chance, askers) => {
      const log: AccessChange[] = [];
      let naive = new NaiveAccess();
      play(all, (_index, now, changes) => {
        naive = now;
        log.push(...changes);
      });
      const index = new AccessIndex();
      for (const change of shuffledByThing(log, chance)) index.apply(change);
      for (const asker of askers) sameAnswers(index, naive, asker);
    }),
    RUNS,
  );
});

type Look = (index: AccessIndex, naive: NaiveAccess, changes: readonly AccessChange[]) => void;

function play(deeds: readonly Deed[], look: Look): void {
  const [history, index] = [new AccessHistory(), new AccessIndex()];
  let naive = new NaiveAccess();
  const became = (changes: readonly AccessChange[]): void => {
    for (const change of changes) {
      index.apply(change);
      naive = naive.after(change);
    }
    look(index, naive, changes);
  };
  became(history.begin());
  for (const each of deeds) became(history.do(each));
}

function sameAnswers(index: AccessIndex, naive: NaiveAccess, caller: Caller): void {
  const asker = askerOf(caller);
  for (const permission of ASKED) {
    const allowed = new Map(PATHS.map((path) => [path, naive.ask(caller, permission, path)]));
    for (const [path, want] of allowed) {
      const question = { permission, resource: refOf(path) };
      const where = `${JSON.stringify(caller)} ${permission} ${path}`;
      assert.equal(index.allows(asker, question), want !== undefined, where);
      assert.deepEqual(index.attributesOn(asker, question).map(canonicalJson).sort(), want ?? [], where);
      assert.equal(index.explain(asker, question).allowed, want !== undefined, `explain ${where}`);
    }
    assert.deepEqual(seenIn(index, caller, permission), seenBy(allowed), `${JSON.stringify(caller)} ${permission}`);
    samePages(index, { caller, permission }, allowed);
  }
}

/** All resources of the set, found by testing every possible one. */
function seenIn(index: AccessIndex, caller: Caller, permission: string): string[] {
  const set = index.visible(askerOf(caller), permission);
  const known = PATHS.filter((path) => index.knows(refOf(path)));
  if (set.kind === 'everything') return known;
  const lines = new Map(known.map((path) => [path, index.lineageOf(refOf(path))]));
  for (const top of set.workspaces) {
    const above = lines.get(`workspaces/${top}`)?.slice(1) ?? assert.fail(`${top} is not there`);
    assert.ok(!above.some(({ name }) => set.workspaces.includes(name)), `${top} is below another of the set`);
  }
  return known.filter((path) => {
    const line = lines.get(path) ?? [];
    const below = line.some(({ kind, name }) => kind === 'workspace' && set.workspaces.includes(name));
    const directly = set.targets.some((name) => path === `targets/${name}`);
    assert.ok(!(below && directly), `${path} is there twice`);
    return below || directly;
  });
}

function seenBy(allowed: ReadonlyMap<string, unknown>): string[] {
  return [...allowed].flatMap(([path, want]) => (want === undefined ? [] : [path]));
}

/** Pages of two, so that results span several pages. */
function samePages(
  index: AccessIndex,
  { caller, permission, reader }: { caller: Caller; permission: string; reader?: Caller },
  allowed: ReadonlyMap<string, readonly string[] | undefined>,
): void {
  const onTargets = permission === 'targets.read' || !permission.includes('.');
  const names = onTargets ? TARGETS : permission === 'issuers.read' ? ['root'] : WORKSPACES;
  const kind = onTargets ? 'target' : 'workspace';
  const want = names.toSorted().flatMap((name) => {
    const attributes = allowed.get(`${kind}s/${name}`);
    return attributes === undefined ? [] : [{ path: `${kind}s/${name}`, attributes }];
  });
  const visibleTo = reader && askerOf(reader);
  const got: { path: string; attributes: readonly string[] }[] = [];
  for (let after: string | undefined; ; ) {
    const page = index.permittedResources(askerOf(caller), { permission, after, limit: 2, visibleTo });
    for (const { resource, attributes } of page) {
      got.push({ path: pathOf(resource), attributes: attributes.map(canonicalJson).sort() });
    }
    if (page.length < 2) break;
    after = page.at(-1)?.resource.name;
  }
  assert.deepEqual(got, want, `${JSON.stringify(caller)} ${permission}`);
}

function sameSubjects(index: AccessIndex, naive: NaiveAccess): void {
  for (const permission of ASKED) {
    for (const path of PATHS) {
      const range = { after: undefined, limit: 100 };
      const got = index.permittedSubjects({ permission, resource: refOf(path) }, range).map(subjectKey);
      assert.deepEqual(got, naive.subjects(permission, path), `${permission} ${path}`);
    }
  }
}

/** Keeps the order of changes per resource, as the outbox promises, and no other order. */
function shuffledByThing(log: readonly AccessChange[], chance: Iterator<number>): AccessChange[] {
  const queues = [...Map.groupBy(log, uidOf).values()];
  const shuffled: AccessChange[] = [];
  while (queues.length > 0) {
    const at = (chance.next().value as number) % queues.length;
    const next = queues[at]?.shift();
    if (next === undefined) queues.splice(at, 1);
    else shuffled.push(next);
  }
  return shuffled;
}

function uidOf(change: AccessChange): string {
  if (change.kind === 'grant') return change.grant.uid;
  return change.kind === 'permissionSchema' ? change.schema.uid : change.uid;
}

function refOf(path: string): ResourceRef {
  return parseResourcePath(path) ?? assert.fail(path);
}
