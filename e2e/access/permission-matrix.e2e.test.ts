import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { leaksInDatabase, leaksInFiles, leaksInText, type NamedSecrets } from '#testing/leaks';
import { type OpenapiDocument, type Operation, operationsOf } from '#testing/openapi/api-description';
import { PATIENCE_MS } from '#testing/patience';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { COMMANDS } from '../../apps/cli/commands.ts';
import { type Attempts, attemptsOf } from './attempt.ts';
import { ask } from './callers.ts';
import { CANARIES, CANARY_CLUSTER } from './canaries.ts';
import { CLI_ROWS } from './cli-rows.ts';
import { type Demand, type Expected, expectedOf, has, isPermission } from './expected-answer.ts';
import { type FollowedStream, followStreams } from './follow-streams.ts';
import { type MatrixCaller, type MatrixWorld, makeMatrixWorld } from './matrix-world.ts';
import { OPERATION_CASES, type OperationCase, type Place, PUBLIC_OPERATIONS } from './operation-cases.ts';
import { QUOTED } from './quoting-agents.ts';
import { environmentOf, runCliHere } from './run-cli-here.ts';
import { isKeeper, takeBackup, withStorage } from './stored.ts';

for (const engine of DATABASES) {
  describe(`every operation, as everybody, on ${engine}`, () => {
    let home: PlatformHome;
    let platform: Platform;
    let attempts: Attempts;
    let operations: readonly Operation[];
    let world: MatrixWorld;
    let secrets: NamedSecrets;
    let streams: readonly FollowedStream[];
    const ends: (() => Promise<void>)[] = [];
    before(async () => {
      home = await platformHome(engine);
      const flags = ['--rate-limit', '1000000', '--fleetlet-listen', '127.0.0.1:0'];
      platform = await home.start({ flags });
      const document = (await (await platform.request('/openapi.json')).json()) as OpenapiDocument;
      attempts = attemptsOf(document);
      operations = operationsOf(document);
      world = await makeMatrixWorld(platform, (close) => ends.push(close));
      secrets = secretsOf(world);
      streams = await followStreams(platform, world.callers, streamsAmong(operations));
    });
    after(async () => {
      await Promise.all(ends.map((close) => close()));
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

    it('answers as the table of permissions says, and with no secret to any caller', async () => {
      const wrong: string[] = [];
      const leaked = new Set<string>();
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
      // If one kind of answer were rare, the matrix would show little.
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

    it('tells of what agents quote without what is secret in it', async () => {
      const leaked = new Set<string>();
      const own = placeNamed(world, 'own');
      const told: Record<string, string> = {};
      for (const [deployment, caller] of pairs(Object.keys(QUOTED), world.callers)) {
        const place = { ...own, params: { ...own.params, deployment } };
        for (const operation of operations.filter(isReadOfDeployment)) {
          const { text } = await attempt(operation, caller, place, operation.method === 'POST' ? '?deep=true' : '');
          const found = leaksInText(operation.id, text, secrets);
          for (const { secret, form } of found) leaked.add(`${secret} ${form}: ${operation.id} as ${caller.name}`);
          if (caller.name === 'viewer') told[deployment] = `${told[deployment] ?? ''}${text}`;
        }
      }
      assert.deepEqual([...leaked], []);
      for (const [deployment, words] of Object.entries(QUOTED)) {
        assert.match(told[deployment] ?? '', RegExp(`${words}.*(?:\\[redacted\\]|\\(hidden\\))`));
      }
    });

    it('prints no secret, whatever the command and the role', {
      skip: engine !== 'sqlite' && 'as on sqlite',
    }, async (t) => {
      assert.deepEqual(Object.keys(CLI_ROWS).sort(byName), COMMANDS.map(({ name }) => name).sort(byName));
      const folder = await mkdtemp(join(tmpdir(), 'fleetshift-cli-'));
      t.after(() => rm(folder, { recursive: true }));
      const [wrong, leaked] = [new Set<string>(), new Set<string>()];
      for (const caller of world.callers.filter(({ name }) => CLI_CALLERS.includes(name))) {
        const environment = environmentOf(platform, caller.token, folder);
        for (const args of cliCalls(world)) {
          const { code, text } = await runCliHere({ args, environment });
          if (caller.name === 'instance-admin' && code !== 0) wrong.add(`${args.join(' ')}: ${code} ${text}`);
          for (const { secret } of leaksInText('', text, secrets)) {
            leaked.add(`${secret}: ${args.join(' ')} as ${caller.name}`);
          }
        }
        if (!caller.name.includes('admin')) continue;
        const isEnough = (text: string): boolean => text.includes('quoted-by-fault');
        const args = ['events', '--from-beginning', '-o', 'json'];
        const { text } = await runCliHere({ args, environment, isEnough });
        assert.deepEqual(leaksInText('events', text, secrets), [], caller.name);
      }
      assert.deepEqual([...wrong], []);
      assert.deepEqual([...leaked], []);
    });

    it('has no secret in the metrics, the answers about a stored kubeconfig, the log, streams, files, backups and the database', async () => {
      const paths = ['/metrics', `/v1/targets/${CANARY_CLUSTER}`, `/v1/targets/${CANARY_CLUSTER}/kubeconfig`];
      for (const caller of world.callers) {
        for (const path of paths) {
          const text = await (await ask(platform, caller.token, path)).text();
          assert.deepEqual(leaksInText(path, text, secrets), [], caller.name);
        }
      }
      const { said } = await platform.stop();
      assert.deepEqual(leaksInText('log', said, secrets), []);
      for (const { name, text } of streams) assert.deepEqual(leaksInText(name, await text, secrets), []);
      assert.match((await streams[0]?.text) ?? '', /quoted-in-status/, 'they were told of what agents quote');
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const found = await withStorage(home, (storage) => leaksInDatabase(storage, secrets, signal));
      assert.deepEqual(found, []);
      assert.deepEqual(await leaksInFiles([home.data, await takeBackup(home)], secrets, isKeeper), []);
    });

    const namesIn = async (path: string, token: string): Promise<string[]> => {
      const { items } = (await (await ask(platform, token, path)).json()) as { items: { name: string }[] };
      return items.map(({ name }) => name);
    };

    const attempt = async (operation: Operation, caller: Pick<MatrixCaller, 'token'>, place: Place, query = '') => {
      const hangUp = new AbortController();
      const { path, init } = attempts(operation, place);
      const answer = await ask(platform, caller.token, `${path}${query}`, { ...init, signal: hangUp.signal });
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

/** One caller of each role, and one with a role on the whole instance. */
const CLI_CALLERS = ['viewer', 'deployer', 'approver', 'admin', 'instance-admin'];

function cliCalls({ quoting }: MatrixWorld): readonly (readonly string[])[] {
  const [target = ''] = quoting.targets;
  const place = { workspace: quoting.workspace, target, serviceAccount: 'robot' };
  return Object.entries(CLI_ROWS).flatMap(([name, rows]) =>
    typeof rows === 'string' ? [] : rows(place).map((args) => [name, ...args]),
  );
}

/** The paths of all streams of the API. */
function streamsAmong(operations: readonly Operation[]): readonly string[] {
  const streaming = operations.filter(
    ({ responses }) => responses['200']?.content?.['text/event-stream'] !== undefined,
  );
  assert.ok(streaming.length > 0);
  return streaming.map(({ path }) => path);
}

/** Whether the operation reads part of a deployment without changing anything. */
function isReadOfDeployment({ id, method, path }: Operation): boolean {
  return path.includes('{deployment}') && (method === 'GET' || id === 'previewDeployment');
}

function pairs<A, B>(some: readonly A[], others: readonly B[]): readonly (readonly [A, B])[] {
  return some.flatMap((one) => others.map((other) => [one, other] as const));
}

/** The planted secrets, and the credentials of the callers. */
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
