import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { LinkConnection } from '#contexts/channels';
import { aborted } from '#kit/std';
import { type Destination, nameOf } from './destinations.ts';
import { ReplicaConnections } from './replica-connections.ts';

const ALL: readonly Destination[] = ['a', 'b', 'c'].map((host) => ({ transport: 'grpc', host, port: 1 }));
const { signal } = new AbortController();

/** A network of three replicas, and the connections made to each. */
function network({ random = () => 0.5 }: { readonly random?: () => number } = {}) {
  const dialled: string[] = [];
  const down = new Set<string>();
  const silent = new Set<string>();
  const replicas = new ReplicaConnections({
    destinations: () => ALL,
    dial: async (to, stop) => {
      const name = nameOf(to);
      dialled.push(name);
      if (down.has(name)) throw new Error(`${name} is down`);
      if (silent.has(name)) await aborted(stop).then(() => stop.throwIfAborted());
      return connection();
    },
    random,
    dialWithinMs: 1,
  });
  /** The addresses dialled since the last call. */
  const since = (): string[] => dialled.splice(0);
  return { replicas, down, silent, since };
}

function connection(): LinkConnection {
  const over = Promise.withResolvers<void>();
  const open = (): never => {
    throw new Error('no streams here');
  };
  return { open, closed: over.promise, close: async () => over.resolve() };
}

suite('connections to replicas', () => {
  test('bulk goes where control was accepted, not where control is being tried', async () => {
    const { replicas, down, since } = network();
    await assert.rejects(replicas.bulk(signal), /no replica has accepted/);
    await replicas.control(signal);
    replicas.accepted();
    down.add('a:1');
    await replicas.control(signal);
    assert.deepEqual(since(), ['a:1', 'a:1', 'b:1']);
    down.clear();
    await replicas.bulk(signal);
    assert.deepEqual(since(), ['a:1'], 'b has not accepted control');
    replicas.accepted();
    await replicas.bulk(signal);
    assert.deepEqual(since(), ['b:1']);
  });

  test('when control moves, the bulk connection to the former replica ends, also one that is being made', async () => {
    const { replicas, down, silent } = network();
    await replicas.control(signal);
    replicas.accepted();
    const bulk = await replicas.bulk(signal);
    await replicas.control(signal);
    replicas.accepted();
    const stays = Promise.resolve('open');
    assert.equal(await Promise.race([bulk.closed, stays]), 'open', 'control came back to the same one');

    down.add('a:1');
    await replicas.control(signal);
    replicas.accepted();
    await bulk.closed;

    silent.add('b:1');
    const beingMade = replicas.bulk(signal);
    down.add('b:1');
    await replicas.control(signal);
    replicas.accepted();
    await assert.rejects(beingMade, /another replica/);
  });

  test('a cut leads back to the replica that had accepted, first', async () => {
    const { replicas, since } = network({ random: () => 0 });
    await replicas.control(signal);
    await replicas.control(signal);
    assert.deepEqual(since(), ['a:1', 'b:1'], 'one that did not accept comes last');
    replicas.accepted();
    await replicas.control(signal);
    assert.deepEqual(since(), ['b:1']);
    await replicas.control(signal);
    assert.deepEqual(since(), ['a:1'], 'once: it connected, and did not accept');
  });

  test('a replica that does not answer does not keep the others from being tried', async () => {
    const { replicas, silent, since } = network();
    silent.add('a:1').add('b:1');
    await replicas.control(signal);
    assert.deepEqual(since(), ['a:1', 'b:1', 'c:1']);
    replicas.accepted();
    await replicas.bulk(signal);
    assert.deepEqual(since(), ['c:1']);
  });

  test('an attempt that is given up tries no further', async () => {
    const { replicas, silent, since } = network();
    silent.add('a:1');
    const over = AbortSignal.abort(new Error('enough'));
    await assert.rejects(replicas.control(over), /enough/);
    assert.deepEqual(since(), ['a:1']);
  });
});
