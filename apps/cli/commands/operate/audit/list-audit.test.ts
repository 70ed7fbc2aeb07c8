import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { freshDatabase, type TestDatabase } from '#testing/databases';
import { type GovernanceApi, governanceApi } from '../../../../../contexts/governance/testing/governance-api.ts';
import type { Io } from '../../../command.ts';
import { audit } from '../audit.ts';

const signal = new AbortController().signal;
let database: TestDatabase;
let api: GovernanceApi;
let server: string;

async function run(args: readonly string[]) {
  const said = { out: '', err: '' };
  const io: Io = {
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    errIsTerminal: false,
    environment: { FLEETSHIFT_SERVER: server, FLEETSHIFT_TOKEN: 'alice' },
  };
  return { code: await audit.run(args, io, signal), ...said };
}

describe('fleetshift audit', () => {
  before(async () => {
    database = await freshDatabase('sqlite');
    api = await governanceApi(database);
    const { port } = await api.server.listen({ host: '127.0.0.1', port: 0 });
    server = `http://127.0.0.1:${port}`;
    for (const n of [1, 2, 3]) {
      await api.storage.write(
        (tx) =>
          api.sink.append(tx, {
            time: Date.UTC(2030, 0, 1, 0, 0, n),
            requestId: `r${n}`,
            operationId: 'createWorkspace',
            method: 'POST',
            path: '/v1/workspaces',
            params: {},
            resource: '/v1/workspaces/web',
            principal: n === 3 ? undefined : { kind: 'user', id: 'alice' },
            address: '10.0.0.1',
            outcome: n === 3 ? 'unauthenticated' : 'done',
          }),
        signal,
      );
    }
    await api.chained(3);
  });

  after(async () => {
    await api.close();
    await database.dispose();
  });

  test('what was done is a table, the newest first', async () => {
    const { code, out } = await run(['list']);
    assert.equal(code, 0);
    assert.equal(
      out,
      `TIME                  WHO         WHAT             ON                  OUTCOME          FROM
2030-01-01T00:00:03Z  -           createWorkspace  /v1/workspaces/web  unauthenticated  10.0.0.1
2030-01-01T00:00:02Z  user:alice  createWorkspace  /v1/workspaces/web  done             10.0.0.1
2030-01-01T00:00:01Z  user:alice  createWorkspace  /v1/workspaces/web  done             10.0.0.1
`,
    );
  });

  test('what is asked for is asked of the platform', async () => {
    const { out, err } = await run([
      'list',
      '--principal',
      'user:alice',
      '--workspace',
      'web',
      '--limit',
      '1',
      '-o',
      'json',
    ]);
    const { items } = JSON.parse(out) as { items: { requestId: string }[] };
    assert.deepEqual(
      items.map(({ requestId }) => requestId),
      ['r2'],
    );
    assert.match(err, /there are more; --limit 10/);
    assert.equal((await run(['list', '--outcome', 'denied'])).err, 'no audit entries\n');
  });

  for (const args of [[], ['lst'], ['list', 'extra'], ['verify', '--expect-head', 'x']]) {
    test(`"audit ${args.join(' ')}" is a mistake of the caller`, async () => {
      await assert.rejects(run(args));
    });
  }
});
