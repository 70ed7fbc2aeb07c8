import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '#kit/std';
import { PATIENCE_MS } from '#testing/patience';
import { testSeed } from '#testing/seeded';
import type { AccessDecisions } from '../application/ports.ts';
import type { AccessChange } from '../domain/access-change.ts';
import type { Caller } from '../domain/asker.ts';
import { parseResourcePath, pathOf, type ResourceRef, ROOT } from '../domain/resource-ref.ts';
import { subjectKey } from '../domain/subject.ts';
import { AccessHistory, ASKED, caller, deed, PATHS } from './access-history.ts';
import { NaiveAccess } from './naive-access.ts';

/** Permissions that are about targets. */
const ON_TARGETS = ['targets.read', 'logs-read', 'metrics-query'];

/**
 * The contract of every implementation of `AccessDecisions`. `make` returns one that has applied these changes, in
 * order.
 */
export function accessDecisionsContract(
  name: string,
  make: (changes: readonly AccessChange[]) => Promise<AccessDecisions>,
): void {
  describe(`access decisions: ${name}`, () => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const alice: Caller = {
      kind: 'user',
      id: 'alice',
      groups: ['ops'],
      scope: { within: 'workspaces/a', roles: ['viewer'] },
    };

    it('answers every question as a plain search of everything would', async () => {
      const histories = fc.array(deed, { minLength: 20, maxLength: 40, size: 'max' });
      await fc.assert(
        fc.asyncProperty(histories, fc.array(caller, { minLength: 1, maxLength: 3 }), async (deeds, callers) => {
          const { changes, naive } = played(deeds);
          const decisions = await make(changes);
          for (const permission of ASKED.filter((each) => naive.knows(each))) {
            for (const each of callers) await sameFor({ decisions, naive, caller: each, permission }, signal);
            await sameSubjects({ decisions, naive, permission }, signal);
          }
        }),
        { numRuns: 25, seed: testSeed() },
      );
    });

    it('says who somebody is', async () => {
      const decisions = await make(new AccessHistory().begin());
      assert.deepEqual(await decisions.resolveIdentity(alice, signal), {
        subject: { kind: 'user', id: 'alice' },
        groups: ['ops'],
        instanceAdmin: false,
        within: { kind: 'workspace', name: 'a' },
        roles: ['viewer'],
      });
      const admin = await decisions.resolveIdentity({ kind: 'admin', id: 'admin' }, signal);
      assert.deepEqual([admin.subject, admin.instanceAdmin, admin.roles], [undefined, true, undefined]);
    });

    it('refuses questions about a permission that nobody defined', async () => {
      const decisions = await make(new AccessHistory().begin());
      for (const ask of everyQuestion(decisions, 'no.such', signal))
        await assert.rejects(ask, { code: 'UNKNOWN_PERMISSION' });
    });

    it('does not begin when it was told to stop', async () => {
      const decisions = await make(new AccessHistory().begin());
      const gone = AbortSignal.abort(new Error('gone'));
      for (const ask of everyQuestion(decisions, 'workspaces.read', gone))
        await assert.rejects(ask, { message: 'gone' });
      await assert.rejects(decisions.resolveIdentity(alice, gone), { message: 'gone' });
    });
  });
}

function played(deeds: readonly Parameters<AccessHistory['do']>[0][]): { changes: AccessChange[]; naive: NaiveAccess } {
  const history = new AccessHistory();
  const changes = [...history.begin(), ...deeds.flatMap((each) => history.do(each))];
  return { changes, naive: changes.reduce((naive, change) => naive.after(change), new NaiveAccess()) };
}

interface Compared {
  readonly decisions: AccessDecisions;
  readonly naive: NaiveAccess;
  readonly permission: string;
}

async function sameFor({ decisions, naive, caller, permission }: Compared & { caller: Caller }, signal: AbortSignal) {
  const want = new Map(PATHS.map((path) => [path, naive.ask(caller, permission, path)]));
  for (const [path, attributes] of want) {
    const question = { permission, resource: refOf(path) };
    const where = `${JSON.stringify(caller)} ${permission} ${path}`;
    const verdict = await decisions.check(caller, question, signal);
    assert.equal(verdict.allowed, attributes !== undefined, where);
    assert.deepEqual(verdict.attributes.map(canonicalJson).sort(), attributes ?? [], where);
    assert.equal((await decisions.explain(caller, question, signal)).allowed, verdict.allowed, where);
    assert.equal(await decisions.allows(caller, question, signal), verdict.allowed, where);
  }
  await sameVisible({ decisions, naive, caller, permission }, signal);
  const found = await decisions.lookupPermissions(caller, { permission, after: undefined, limit: 100 }, signal);
  const kind = ON_TARGETS.includes(permission) ? 'targets/' : 'workspaces/';
  const all = [...want].flatMap(([path, attributes]) => (path.startsWith(kind) && attributes ? [path] : []));
  const listed = permission === 'issuers.read' ? all.filter((path) => path === pathOf(ROOT)) : all.toSorted();
  assert.deepEqual(
    found.map(({ resource }) => pathOf(resource)),
    listed,
  );
}

/** Below every workspace of the set, and on every target of it, the caller has the permission; and nowhere else. */
async function sameVisible(
  { decisions, naive, caller, permission }: Compared & { caller: Caller },
  signal: AbortSignal,
): Promise<void> {
  const set = await decisions.visible(caller, permission, signal);
  for (const path of permission === 'issuers.read' ? [pathOf(ROOT)] : PATHS) {
    const isSeen =
      set.kind === 'everything' ? naive.has(path) : naive.isBelowAny(path, [...set.workspaces, ...set.targets]);
    const want = naive.ask(caller, permission, path) !== undefined;
    assert.equal(isSeen, want, `${JSON.stringify(caller)} sees ${permission} ${path}`);
  }
}

async function sameSubjects({ decisions, naive, permission }: Compared, signal: AbortSignal): Promise<void> {
  for (const path of PATHS) {
    const lookup = { permission, resource: refOf(path), after: undefined, limit: 100 };
    const found = await decisions.lookupSubjects(lookup, signal);
    assert.deepEqual(found.map(subjectKey), naive.subjects(permission, path), `${permission} ${path}`);
  }
}

function everyQuestion(
  decisions: AccessDecisions,
  permission: string,
  signal: AbortSignal,
): (() => Promise<unknown>)[] {
  const [bob, question, range] = [
    { kind: 'user', id: 'bob' },
    { permission, resource: ROOT },
    { after: undefined, limit: 1 },
  ];
  return [
    () => decisions.check(bob, question, signal),
    () => decisions.visible(bob, permission, signal),
    () => decisions.explain(bob, question, signal),
    () => decisions.lookupPermissions(bob, { permission, ...range }, signal),
    () => decisions.lookupSubjects({ ...question, ...range }, signal),
  ];
}

function refOf(path: string): ResourceRef {
  return parseResourcePath(path) ?? assert.fail(path);
}
