import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { suite, test } from 'node:test';
import { AGENT_TOKEN, type DoorWorld, doorStage, statusIn, textOf } from './testing/door-world.ts';

/** The next request that reaches the API server; it gets no response. */
function nextAsked(world: DoorWorld): Promise<IncomingMessage> {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  world.api.answer = (asked, response) => {
    resolve(asked);
    response.end('{}');
  };
  return promise;
}

suite('what is asked', () => {
  test('arrives byte for byte, as the agent, for the caller under the prefix of the platform', async (t) => {
    const world = await doorStage(t);
    const asked = nextAsked(world);
    const path = '/api/v1/namespaces/a%20b/pods?labelSelector=a%3Db&watch=0';
    const headers = { cookie: 'session=s', 'x-remote-user': 'root', 'x-custom': 'kept', accept: 'application/json' };
    assert.equal((await world.ask(path, { as: 'dora', headers })).statusCode, 200);
    const { url, method, headers: seen } = await asked;
    assert.deepEqual([method, url], ['GET', path]);
    assert.equal(seen.authorization, `Bearer ${AGENT_TOKEN}`);
    assert.equal(seen['impersonate-user'], 'fleetshift:user:dora');
    assert.equal(
      seen['impersonate-group'],
      'fleetshift:role:deployer, fleetshift:group:staff, fleetshift:group:system:masters',
    );
    assert.deepEqual([seen['x-custom'], seen.accept], ['kept', 'application/json']);
    for (const gone of ['cookie', 'x-remote-user', 'fleetshift-identity']) assert.equal(seen[gone], undefined, gone);
    assert.match(String(seen['audit-id']), /^[0-9a-f-]{36}$/);
  });

  test('goes at the root for a door without more', async (t) => {
    const world = await doorStage(t);
    const asked = nextAsked(world);
    await world.ask('?x=1');
    assert.equal((await asked).url, '/?x=1');
  });

  test('is streamed, however large, both ways', async (t) => {
    const world = await doorStage(t);
    world.api.answer = (asked, response) => void asked.pipe(response);
    const body = randomBytes(8 * 1024 * 1024);
    const answer = await world.ask('/api/v1/namespaces', { method: 'POST', body });
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    assert.equal(Buffer.compare(Buffer.concat(parts), body), 0);
    assert.ok((world.records.metered.get('shop') ?? 0) > 2 * body.length);
  });

  test('goes through tunnels that are used again', async (t) => {
    const world = await doorStage(t);
    for (let count = 0; count < 20; count += 1) await textOf(await world.ask('/version'));
    assert.equal(world.records.tunnels, 1);
  });

  test('comes back as it is, without what a browser would act on', async (t) => {
    const world = await doorStage(t);
    world.api.answer = (_asked, response) => {
      response.writeHead(418, 'Short', {
        'set-cookie': 'a=b',
        'access-control-allow-origin': '*',
        warning: 'w',
        etag: 'e',
      });
      response.end('<script>');
    };
    const { statusCode, statusMessage, headers } = await world.ask('/api/v1/namespaces/x/services/y/proxy/');
    assert.deepEqual([statusCode, statusMessage, headers.warning, headers.etag], [418, 'Short', 'w', 'e']);
    assert.deepEqual([headers['set-cookie'], headers['access-control-allow-origin']], [undefined, undefined]);
    assert.match(String(headers['content-security-policy']), /sandbox/);
  });
});

suite('who asks', () => {
  const rows = [
    { why: 'a viewer looks', as: 'vera', method: 'GET', path: '/api/v1/pods', code: 200 },
    { why: 'a viewer does not change', as: 'vera', method: 'DELETE', path: '/api/v1/pods', code: 403 },
    {
      why: 'nor reach into a workload',
      as: 'vera',
      method: 'GET',
      path: '/api/v1/namespaces/a/pods/b/exec',
      code: 403,
    },
    {
      why: 'nor by another spelling',
      as: 'vera',
      method: 'GET',
      path: '/api/v1/namespaces/a/pods/b/ex%65c',
      code: 403,
    },
    { why: 'a deployer does', as: 'dora', method: 'GET', path: '/api/v1/namespaces/a/pods/b/exec', code: 200 },
    { why: 'to others the target does not exist', as: 'oscar', method: 'GET', path: '/version', code: 404 },
    { why: 'nobody is nobody', as: 'nobody', method: 'GET', path: '/version', code: 401 },
    { why: 'nor is whoever is not known', as: 'mallory', method: 'GET', path: '/version', code: 401 },
  ];
  for (const { why, code, path, ...asked } of rows) {
    test(`${why}: ${code}`, async (t) => {
      const world = await doorStage(t);
      const answer = await world.ask(path, asked);
      assert.equal(answer.statusCode, code);
      if (code >= 400) assert.match((await statusIn(answer)).message, /\.$/);
      assert.equal(world.records.noted.length, code === 200 && asked.as === 'dora' ? 1 : 0);
      assert.equal(world.records.refused.length, code === 403 || code === 404 || asked.as === 'mallory' ? 1 : 0);
    });
  }

  test('is on record before it is done, with what it is about', async (t) => {
    const world = await doorStage(t);
    let notedBefore = 0;
    world.api.answer = (_asked, response) => {
      notedBefore = world.records.noted.length;
      response.end('{}');
    };
    await world.ask('/api/v1/namespaces/a/configmaps/b?dryRun=All', { as: 'dora', method: 'PATCH' });
    assert.equal(notedBefore, 1);
    const [entry] = world.records.noted;
    assert.deepEqual(
      [entry?.operationId, entry?.method, entry?.resource, entry?.principal?.id],
      ['proxyTarget', 'PATCH', '/v1/targets/web/api/api/v1/namespaces/a/configmaps/b', 'dora'],
    );
  });

  test('is on record with the command that runs in a workload', async (t) => {
    const world = await doorStage(t);
    const command = 'command=rm&command=-rf&command=%2Fdata';
    await textOf(await world.ask(`/api/v1/namespaces/a/pods/b/exec?stdin=true&${command}`, { as: 'dora' }));
    const [entry] = world.records.noted;
    assert.equal(entry?.resource, `/v1/targets/web/api/api/v1/namespaces/a/pods/b/exec?${command}`);
  });

  test('is on record as refused, too, when the cluster refuses it', async (t) => {
    const world = await doorStage(t);
    world.api.answer = (_asked, response) => response.writeHead(403).end('{}');
    await textOf(await world.ask('/api/v1/namespaces/a/configmaps/b', { as: 'dora', method: 'DELETE' }));
    await textOf(await world.ask('/api/v1/namespaces/a/secrets', { as: 'vera' }));
    await textOf(await world.ask('/api/v1/namespaces/a/configmaps', { as: 'vera' }));
    const { noted, refused } = world.records;
    assert.deepEqual(
      refused.map(({ outcome, requestId, principal }) => [outcome, requestId, principal?.id]),
      noted.map(({ requestId, principal }) => ['denied', requestId, principal?.id]),
    );
    assert.equal(refused.length, 2);
  });

  test('is on record for reads of Secrets, once a minute for each caller and object', async (t) => {
    const world = await doorStage(t);
    const secret = '/api/v1/namespaces/a/secrets/b';
    const asked: [string, 'vera' | 'dora'][] = [
      [secret, 'vera'],
      [`${secret}?watch=true`, 'vera'],
      ['/api/v1/namespaces/a/%73ecrets/b', 'vera'],
      [secret, 'dora'],
      ['/api/v1/namespaces/a/secrets', 'vera'],
      ['/api/v1/namespaces/a/configmaps/b', 'vera'],
    ];
    for (const [path, as] of asked) await textOf(await world.ask(path, { as }));
    assert.deepEqual(
      world.records.noted.map(({ method, resource, principal }) => [
        principal?.id,
        method,
        resource.slice('/v1/targets/web/api/api'.length),
      ]),
      [
        ['vera', 'GET', '/v1/namespaces/a/secrets/b'],
        ['dora', 'GET', '/v1/namespaces/a/secrets/b'],
        ['vera', 'GET', '/v1/namespaces/a/secrets'],
      ],
    );
  });

  test('may not ask to be somebody else', async (t) => {
    const world = await doorStage(t);
    const answer = await world.ask('/version', { headers: { 'Impersonate-User': 'system:admin' } });
    assert.equal((await statusIn(answer)).reason, 'Forbidden');
  });

  test('is a token of the cluster, where the target has an audience of its own', async (t) => {
    const world = await doorStage(t, { hasPassthrough: true });
    const asked = nextAsked(world);
    await world.ask('/version', { as: 'vera.at.web' });
    const { headers } = await asked;
    assert.deepEqual([headers.authorization, headers['impersonate-user']], ['Bearer vera.at.web', undefined]);
    const next = nextAsked(world);
    await world.ask('/version', { as: 'vera.is.known' });
    const { headers: own } = await next;
    assert.deepEqual([own.authorization, own['impersonate-user']], [`Bearer ${AGENT_TOKEN}`, 'fleetshift:user:vera']);
  });

  test('is not let in by a token of a cluster elsewhere, and needs the permission here all the same', async (t) => {
    const world = await doorStage(t, { hasPassthrough: true });
    for (const as of ['vera.at.other', 'nobody.at.web']) {
      assert.equal((await statusIn(await world.ask('/version', { as }))).code, 401, as);
    }
    const denied = await world.ask('/api/v1/namespaces', { as: 'vera.at.web', method: 'POST' });
    assert.equal((await statusIn(denied)).code, 403);
    const plain = await doorStage(t);
    assert.equal((await statusIn(await plain.ask('/version', { as: 'vera.at.web' }))).code, 401);
  });

  test('is counted', async (t) => {
    const world = await doorStage(t, { requestsPerMinute: 2 });
    const codes: (number | undefined)[] = [];
    for (let count = 0; count < 3; count += 1) codes.push((await world.ask('/version')).statusCode);
    assert.deepEqual(codes, [200, 200, 429]);
  });
});

suite('a target that cannot be reached', () => {
  test('is told as Kubernetes tells it, whoever is missing', async (t) => {
    const world = await doorStage(t);
    world.agent.isServing = false;
    const gone = await statusIn(await world.ask('/version'));
    assert.deepEqual([gone.code, gone.reason], [503, 'ServiceUnavailable']);
    world.agent.isServing = true;
    world.api.server.closeAllConnections();
    await new Promise((resolve) => world.api.server.close(resolve));
    const down = await statusIn(await world.ask('/version'));
    assert.match(down.message, /cannot reach the API server: .*ECONNREFUSED/);
    world.api.server.listen(0);
  });

  test('that nobody speaks for', async (t) => {
    const world = await doorStage(t);
    world.fleet.hub.closeFleetlet('edge', 'draining', 'for a while');
    const { code, message } = await statusIn(await world.ask('/version'));
    assert.equal(code, 503);
    assert.match(message, /^The target web cannot be reached right now: /);
  });

  test('whose agent is not known to its cluster: that is not the caller’s fault', async (t) => {
    const world = await doorStage(t);
    world.api.answer = (_asked, response) => void response.writeHead(401).end();
    assert.equal((await statusIn(await world.ask('/version'))).code, 503);
  });
});

test('where there is no door there is nothing', async (t) => {
  const world = await doorStage(t);
  const outgoing = httpRequest(`${world.url.replace(/api$/, 'other')}`, { agent: false }).end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  assert.equal((await statusIn(answer)).code, 404);
});
