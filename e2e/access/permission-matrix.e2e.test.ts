import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { leaksInDatabase, leaksInText, type NamedSecrets } from '#testing/leaks';
import { type OpenapiDocument, type Operation, operationsOf } from '#testing/openapi/api-description';
import { PATIENCE_MS } from '#testing/patience';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { type Attempts, attemptsOf } from './attempt.ts';
import { ask } from './callers.ts';
import { CANARIES, CANARY_CLUSTER } from './canaries.ts';
import { type Demand, type Expected, expectedOf, has, isPermission } from './expected-answer.ts';
import { type MatrixCaller, type MatrixWorld, makeMatrixWorld } from './matrix-world.ts';
import { OPERATION_CASES, type OperationCase, type Place, PUBLIC_OPERATIONS } from './operation-cases.ts';
import { withStorage } from './stored.ts';

for (const engine of DATABASES) {
  describe(`every operation, as everybody, on ${engine}`, () => {
    let home: PlatformHome;
    let platform: Platform;
    let attempts: Attempts;
    let operations: readonly Operation[];
    let world: MatrixWorld;
    before(async () => {
      home = await platformHome(engine);
      const flags = ['--rate-limit', '1000000', '--fleetlet-listen', '127.0.0.1:0', '--log-level', 'debug'];
      platform = await home.start({ flags });
      const document = (await (await platform.request('/openapi.json')).json()) as OpenapiDocument;
      attempts = attemptsOf(document);
      operations = operationsOf(document);
      world = await makeMatrixWorld(platform);
    });
    after(async () => {
      await world?.quoting.close();
      await home.dispose();
    });

    it('declares a permission of the table, or is public for a reason', () => {
      const undeclared = operations.filter(
        ({ permission = '' }) => permission !== 'public' && !isPermission(permission),
      );
      assert.deepEqual(
        undeclared.map(({ id, permission }) => `${id}: ${permission}`),
        [],
      );
      const open = operations.filter(({ permission }) => permission === 'public').map(({ id }) => id);
      assert.deepEqual(open.sort(byName), Object.keys(PUBLIC_OPERATIONS).sort(byName));
    });

    it('is tried', () => {
      const known = [...Object.keys(OPERATION_CASES), ...Object.keys(PUBLIC_OPERATIONS)];
      assert.deepEqual(known.sort(byName), operations.map(({ id }) => id).sort(byName));
    });

    it('answers nobody without credentials, or with unknown ones', async () => {
      const answers: string[] = [];
      for (const operation of operations.filter(({ permission }) => permission !== 'public')) {
        for (const token of ['fst_aaaaaaaaaaaaaaaa_nonsense', 'nonsense']) {
          const { status } = await attempt(operation, { token }, placeNamed(world, 'own'));
          if (status !== 401) answers.push(`${operation.id}: ${status}`);
        }
      }
      assert.deepEqual(answers, []);
    });

    it('answers as the table of permissions says, and with no secret to anybody', async () => {
      const wrong: string[] = [];
      const leaked = new Set<string>();
      const secrets = secretsOf(world);
      const seen = new Map<Expected, number>();
      for (const caller of world.callers) {
        for (const place of world.places) {
          for (const operation of operations.filter(({ id }) => OPERATION_CASES[id] !== undefined)) {
            const expected = expectedOf(caller.wish, demandsOf(operation, place));
            seen.set(expected, (seen.get(expected) ?? 0) + 1);
            const { status, text } = await attempt(operation, caller, place);
            for (const { secret, form } of leaksInText(operation.id, text, secrets)) {
              leaked.add(`${secret} ${form}: ${operation.id} as ${caller.name}`);
            }
            if (isAsExpected(operation, expected, status)) continue;
            wrong.push(
              `${operation.id} as ${caller.name}, ${place.name}: ${status}, not ${expected}: ${text.slice(0, 300)}`,
            );
          }
        }
      }
      assert.deepEqual(wrong, []);
      assert.deepEqual([...leaked], []);
      // Each kind of answer has to be a good part of it, or the matrix tells little.
      for (const expected of ['through', 403, 404] as const) assert.ok((seen.get(expected) ?? 0) > 100, `${expected}`);
    });

    it('lists exactly what the caller may read', async () => {
      const wrong: string[] = [];
      for (const { kind, permission } of [
        { kind: 'workspaces', permission: 'workspaces.read' },
        { kind: 'targets', permission: 'targets.read' },
      ]) {
        const all = await namesIn(`/v1/${kind}`, platform.token);
        for (const caller of world.callers) {
          const visible = all.filter((name) => has(caller.wish, permission, world.lineageOf(`${kind}/${name}`)));
          const listed = await namesIn(`/v1/${kind}`, caller.token);
          if (listed.join() !== visible.join())
            wrong.push(`${kind} of ${caller.name}: ${listed.join()}, not ${visible.join()}`);
        }
      }
      assert.deepEqual(wrong, []);
    });

    it('has no secret in the events, the metrics, the answers about a stored kubeconfig, the log and the database', async () => {
      const secrets = secretsOf(world);
      const paths = ['/metrics', `/v1/targets/${CANARY_CLUSTER}`, `/v1/targets/${CANARY_CLUSTER}/kubeconfig`];
      for (const caller of world.callers) {
        for (const path of paths) {
          const text = await (await ask(platform, caller.token, path)).text();
          assert.deepEqual(leaksInText(path, text, secrets), [], caller.name);
        }
      }
      const { said } = await platform.stop();
      assert.deepEqual(leaksInText('log', said, secrets), []);
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const found = await withStorage(home, (storage) => leaksInDatabase(storage, secrets, signal));
      assert.deepEqual(found, []);
    });

    const namesIn = async (path: string, token: string): Promise<string[]> => {
      const { items } = (await (await ask(platform, token, path)).json()) as { items: { name: string }[] };
      return items.map(({ name }) => name);
    };

    const attempt = async (operation: Operation, caller: Pick<MatrixCaller, 'token'>, place: Place) => {
      const hangUp = new AbortController();
      const { path, init } = attempts(operation, place);
      const answer = await ask(platform, caller.token, path, { ...init, signal: hangUp.signal });
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
      const text = isStream ? '' : await answer.text();
      hangUp.abort();
      return { status: answer.status, text };
    };

    const demandsOf = (operation: Operation, place: Place): Demand[] => {
      const { path, permission = '' } = operation;
      const { params: special, looksItself, alsoAsks } = caseOf(operation);
      const params = { ...place.params, ...special?.(place) };
      const named = ['target', 'workspace'].find((name) => path.includes(`{${name}}`));
      const on = named === undefined ? undefined : world.lineageOf(`${named}s/${params[named]}`);
      const own: Demand = { permission, on };
      const asked = (looksItself ?? alsoAsks)?.(place) ?? [];
      const more = asked.map(({ permission: other = permission, on }) => ({
        permission: other,
        on: on === undefined ? undefined : world.lineageOf(on),
      }));
      return [...(looksItself === undefined ? [own] : []), ...more];
    };
  });
}

/** What was planted, and what the callers prove with who they are. */
function secretsOf({ callers }: MatrixWorld): NamedSecrets {
  return { ...CANARIES, ...Object.fromEntries(callers.map(({ name, token }) => [`the token of ${name}`, token])) };
}

function isAsExpected({ id }: Operation, expected: Expected, status: number): boolean {
  if (expected !== 'through') return status === expected;
  const { otherwise } = OPERATION_CASES[id] ?? {};
  return otherwise === undefined ? status >= 200 && status < 300 : status === otherwise;
}

function caseOf({ id }: Operation): OperationCase {
  return OPERATION_CASES[id] ?? {};
}

function placeNamed({ places }: MatrixWorld, name: Place['name']): Place {
  return places.find((place) => place.name === name) ?? assert.fail(name);
}

function byName(left: string, right: string): number {
  return left < right ? -1 : 1;
}
