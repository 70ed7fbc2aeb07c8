import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { testSeed } from '#testing/seeded';
import { IndexedDecisions } from '../adapters/indexed-decisions.ts';
import { AccessIndex } from '../domain/access-index.ts';
import type { Caller, CallerScope } from '../domain/asker.ts';
import type { Grant } from '../domain/grant.ts';
import { AccessHistory, caller, type Deed, deed, PATHS } from '../testing/access-history.ts';
import { NaiveAccess } from '../testing/naive-access.ts';
import { lackingRights } from './lacking-rights.ts';
import type { GrantSearch } from './ports.ts';

const signal = new AbortController().signal;
const BOT = { kind: 'serviceAccount', id: 'bot' } as const;
/** One permission of each role, and those of addons. */
const ASKED = [
  'workspaces.read',
  'deployments.create',
  'approvals.answer',
  'targets.proxyRead',
  'targets.proxyWrite',
  'grants.create',
  'logs-read',
  'metrics-query',
];

/** A granted permission is always defined. */
const DEFINED: readonly Deed[] = ['logs-read', 'metrics-query'].map((name) => ({ do: 'putSchema', name, roles: [] }));

/** The scope that a token gets: never wider than that of its maker. */
function narrowed(asked: CallerScope, { scope = {} }: Caller): CallerScope {
  const within = scope.within ?? asked.within;
  const roles = scope.roles === undefined ? asked.roles : (asked.roles ?? scope.roles).filter(isIn(scope.roles));
  return { ...(within === undefined ? {} : { within }), ...(roles === undefined ? {} : { roles }) };
}

function isIn(all: readonly string[]): (one: string) => boolean {
  return (one) => all.includes(one);
}

/** Whether the token may do anything, anywhere, that its maker may not. */
function exceeds(naive: NaiveAccess, token: Caller, maker: Caller): boolean {
  return ASKED.some((permission) =>
    PATHS.some((path) => {
      const has = naive.ask(token, permission, path);
      const own = naive.ask(maker, permission, path);
      return has !== undefined && (own === undefined || !has.every((set) => own.includes(set)));
    }),
  );
}

test('rights are lacking exactly when a token could do what its maker may not', async () => {
  const seen = { bounded: 0, lacking: 0, hidden: 0 };
  const deeds = fc.array(
    deed.filter((each) => each.do !== 'dropSchema'),
    { minLength: 20, maxLength: 40, size: 'max' },
  );
  await fc.assert(
    fc.asyncProperty(deeds, fc.array(caller, { minLength: 3, maxLength: 6 }), async (history, callers) => {
      const played = new AccessHistory();
      const changes = [...played.begin(), ...[...DEFINED, ...history].flatMap((each) => played.do(each))];
      const naive = changes.reduce((state, change) => state.after(change), new NaiveAccess());
      const index = new AccessIndex();
      for (const change of changes) index.apply(change);
      const grants = naive.grants.filter(({ subject: { kind, id } }) => kind === BOT.kind && id === BOT.id);
      const search: GrantSearch = { matching: async () => grants as unknown as Grant[] };
      const parts = { search, decisions: new IndexedDecisions(index) };
      for (const [nth, maker] of callers.entries()) {
        const scope = narrowed(callers[(nth + 1) % callers.length]?.scope ?? {}, maker);
        const found = await lackingRights(parts, { token: { subject: BOT, scope }, maker }, signal);
        const isLacking = found.rights.length > 0 || found.hidden;
        const isAdmin = naive.ask(maker, 'tokens.createAny', 'workspaces/root') !== undefined;
        const want = !isAdmin && exceeds(naive, { ...BOT, scope }, maker);
        assert.equal(isLacking, want, JSON.stringify({ maker, scope, found }));
        for (const right of found.rights) {
          const path = right.split(' on ')[1] ?? '';
          const permission = path.startsWith('targets/') ? 'targets.read' : 'workspaces.read';
          assert.ok(naive.ask(maker, permission, path) !== undefined, `${right} is on what the maker may not see`);
        }
        seen[want ? 'lacking' : 'bounded'] += 1;
        if (found.hidden) seen.hidden += 1;
      }
    }),
    { numRuns: 300, seed: testSeed() },
  );
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 20, `${what}: ${count}`);
});
