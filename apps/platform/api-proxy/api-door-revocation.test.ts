import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { suite, test } from 'node:test';
import { parseResourceName, parseUuid } from '#kit/std';
import { FakeClock } from '#testing/fake-clock';
import { eventually } from '../../../kit/durable/testing/eventually.ts';
import { type DoorWorld, doorStage } from './testing/door-world.ts';

const uid = (number: number) => parseUuid(`00000000-0000-7000-8000-${String(number).padStart(12, '0')}`);
const SHOP = { kind: 'workspace', name: 'shop', uid: uid(2) } as const;
/** The grant of Dora, a deployer. */
const GRANT = uid(101);

/** A client that has read the first line of the watch. */
async function watch(world: DoorWorld, first = 'one\n', path = '/api/v1/pods?watch=true'): Promise<IncomingMessage> {
  world.api.answer = (_asked, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(first);
  };
  const answer = await world.ask(path, { as: 'dora' });
  await once(answer, 'data');
  answer.on('error', () => {});
  return answer;
}

/** The rest of the response, and whether it ended properly. */
async function rest(answer: IncomingMessage): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  let text = '';
  answer.on('data', (chunk) => (text += String(chunk)));
  await new Promise((resolve) => answer.once('close', resolve));
  return { text, isWhole: answer.complete };
}

suite('a stream through the API proxy', () => {
  test('tells a watch why it ends, between two events', async (t) => {
    const world = await doorStage(t);
    const left = rest(await watch(world));
    world.revoked.add('dora');
    world.streams.changed();
    await world.streams.settled();
    const { text, isWhole } = await left;
    const { type, object } = JSON.parse(text) as { type: string; object: { kind: string; code: number } };
    assert.deepEqual([type, object.kind, object.code, isWhole], ['ERROR', 'Status', 401, true]);
  });

  for (const { why, first, path } of [
    { why: 'within an event', first: '{"type":', path: '/api/v1/pods?watch=true' },
    { why: 'in a log', first: 'one\n', path: '/api/v1/namespaces/a/pods/b/log?follow=true' },
  ]) {
    test(`adds nothing ${why}`, async (t) => {
      const world = await doorStage(t);
      const left = rest(await watch(world, first, path));
      world.revoked.add('dora');
      world.streams.changed();
      assert.deepEqual(await left, { text: '', isWhole: false });
    });
  }

  test('ends with the role that the cluster was told, and not for a greater one', async (t) => {
    const world = await doorStage(t);
    const answer = await watch(world);
    const left = rest(answer);
    const viewer = { kind: 'role', role: 'viewer' } as const;
    const dora = { kind: 'user', id: 'dora' } as const;
    const name = parseResourceName('more');
    world.index.apply({ kind: 'grant', grant: { uid: uid(500), name, resource: SHOP, subject: dora, gives: viewer } });
    await world.streams.settled();
    assert.equal(world.streams.size, 1);
    world.index.apply({ kind: 'grantDeleted', uid: GRANT });
    await world.streams.settled();
    assert.equal(world.streams.size, 0, 'a viewer may watch, but this one was opened as a deployer');
    assert.match((await left).text, /"code":403/);
  });

  test('ends with its target, though another has its name at once', async (t) => {
    const world = await doorStage(t);
    const left = rest(await watch(world));
    world.index.apply({ kind: 'target', name: 'web', uid: uid(9), generation: 1, workspace: 'shop' });
    await world.streams.settled();
    assert.match((await left).text, /"code":403/);
  });

  test('is told why, though its tunnel closes before the deletion of its target is known', async (t) => {
    const world = await doorStage(t);
    world.stored.arrives = () => world.index.apply({ kind: 'targetDeleted', uid: uid(3) });
    const left = rest(await watch(world));
    world.api.server.closeAllConnections();
    assert.match((await left).text, /"type":"ERROR".*"code":403/);
  });

  test('breaks off with its cluster, and is told nothing', async (t) => {
    const world = await doorStage(t);
    const left = rest(await watch(world));
    world.api.server.closeAllConnections();
    assert.deepEqual(await left, { text: '', isWhole: false });
  });

  test('ends after a day, with the reason', async (t) => {
    const clock = new FakeClock();
    const world = await doorStage(t, { clock, sleep: clock.sleep });
    const left = rest(await watch(world));
    clock.set(clock.now() + 86_400_000);
    await clock.advance(1_000);
    assert.match((await left).text, /maximum age.*"code":504/);
  });

  test('is forgotten when it is over', async (t) => {
    const world = await doorStage(t);
    const answer = await world.ask('/version', { as: 'dora' });
    answer.resume();
    await eventually('it is forgotten', async () => world.streams.size === 0);
  });
});
