import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once as onceEmitted } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { PATIENCE_MS } from '../../../testing/patience.ts';
import { freshNamespace, type TestNamespace } from '../../../testing/temporal/test-namespace.ts';
import { type ActivityEnvironment, implementActivity } from '../index.ts';
import { openTemporalEngine, type TemporalEngine, type TemporalEngineOptions } from './index.ts';
import { impure, inbox, once, task } from './testing/workflows.ts';

const temporal = await freshNamespace();
const skip = temporal === undefined && 'there is no Go to build a server with';
const bounded = (): AbortSignal => AbortSignal.timeout(PATIENCE_MS);

describe('the Temporal engine', { skip }, () => {
  const { address, namespace, http } = temporal ?? ({} as TestNamespace);
  const tries: Pick<ActivityEnvironment, 'attempt' | 'idempotencyKey'>[] = [];
  const options: TemporalEngineOptions = {
    address,
    namespace,
    taskQueue: 'tests',
    registry: {
      workflows: [task, inbox, impure],
      activities: [
        implementActivity(once, async (key, { attempt, idempotencyKey }) => {
          tries.push({ attempt, idempotencyKey });
          return `did ${key}`;
        }),
      ],
    },
    workflowModules: [new URL('./testing/workflows.ts', import.meta.url)],
    workerLostMs: 2_000,
    workflowTaskTimeoutMs: 2_000,
  };
  let engine: TemporalEngine;

  before(async () => {
    engine = await openTemporalEngine(options, bounded());
  });
  after(() => engine.close());

  /** Runs the body while a worker is running. */
  async function working<T>(body: () => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const running = engine.run(stop.signal);
    try {
      return await body();
    } finally {
      stop.abort();
      await running;
    }
  }

  /** Simulates a request from another tool. */
  async function post(path: string, body: object): Promise<void> {
    const url = `${http}/api/v1/namespaces/${namespace}/workflows/${path}`;
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body), signal: bounded() });
    assert.ok(answer.ok, await answer.text());
  }

  it('can be run, stopped and run again', async () => {
    const { client } = engine;
    await client.start(task, { id: 'first', input: 'a' }, bounded());
    assert.equal(await working(() => client.result('first', bounded())), 'did a');
    await client.start(task, { id: 'second', input: 'b' }, bounded());
    assert.equal(await working(() => client.result('second', bounded())), 'did b');
  });

  it('that cannot reach its server fails in a way that is worth a retry, and can be run again', async (t) => {
    const door = await doorTo(address);
    t.after(() => door.close());
    const through = await openTemporalEngine({ ...options, address: door.address }, bounded());
    t.after(() => through.close());
    await door.close();
    await assert.rejects(through.run(bounded()), { code: 'TEMPORAL_UNREACHABLE' });
    await door.open();
    const stop = new AbortController();
    const running = through.run(stop.signal);
    await engine.client.start(task, { id: 'after-outage', input: 'o' }, bounded());
    assert.equal(await engine.client.result('after-outage', bounded()), 'did o');
    stop.abort();
    await running;
  });

  it('does not count a try that was lost with its worker, and does it again under the same key', async () => {
    const { client } = engine;
    const worker = spawn(
      process.execPath,
      [join(import.meta.dirname, 'testing/killed-worker.ts'), address, namespace],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    await client.start(task, { id: 'lost', input: 'c' }, bounded());
    for await (const line of createInterface({ input: worker.stdout })) if (line === 'began c') break;
    worker.kill('SIGKILL');
    await onceEmitted(worker, 'exit');
    assert.equal(await working(() => client.result('lost', bounded())), 'did c');
    const { attempt, idempotencyKey } = tries.at(-1) ?? { attempt: 0, idempotencyKey: '' };
    assert.equal(attempt, 1);
    assert.match(idempotencyKey, /^lost\/.+\/1$/);
  });

  it('tells what there is to tell while no worker runs', async () => {
    const { client } = engine;
    await client.start(inbox, { id: 'alone', input: null }, bounded());
    await client.pause('alone', bounded());
    await client.signal('alone', { name: 'item', payload: 1, signalId: 'one' }, bounded());
    await client.signal('alone', { name: 'item', payload: 1, signalId: 'one' }, bounded());
    const { status, input, historyLength, waitingFor } = await client.describe('alone', bounded());
    assert.deepEqual(
      { status, input, historyLength, waitingFor },
      { status: 'paused', input: null, historyLength: 1, waitingFor: [] },
    );
    assert.deepEqual(
      (await client.history('alone', bounded())).map(({ kind, name, result }) => ({ kind, name, result })),
      [{ kind: 'signal', name: 'item', result: 1 }],
    );
  });

  it("takes signals from Temporal's own tools", async () => {
    const { client } = engine;
    await client.start(inbox, { id: 'tools', input: null }, bounded());
    await post('tools/signal/item', { input: ['from outside'] });
    await post('tools/signal/item', {});
    await client.signal('tools', { name: 'item', payload: 'from us' }, bounded());
    assert.deepEqual(await working(() => client.result('tools', bounded())), ['from outside', null, 'from us']);
  });

  it('keeps names for itself that mean something to Temporal or to us', async () => {
    const { client } = engine;
    await client.start(inbox, { id: 'names', input: null }, bounded());
    for (const name of ['__temporal_anything', 'fleetshift.pause']) {
      await assert.rejects(client.signal('names', { name, payload: null }, bounded()), { code: 'PAYLOAD_NOT_JSON' });
    }
  });

  for (const { what, path, body, code, status } of [
    { what: 'cancelled without a reason', path: 'cancel', body: {}, code: 'WORKFLOW_CANCELLED', status: 'cancelled' },
    {
      what: 'ended by force',
      path: 'terminate',
      body: { reason: 'enough' },
      code: 'WORKFLOW_FAILED',
      status: 'failed',
    },
  ]) {
    it(`tells of one that was ${what} from outside`, async () => {
      const { client } = engine;
      await client.start(inbox, { id: path, input: null }, bounded());
      await post(`${path}/${path}`, body);
      await working(() => assert.rejects(client.result(path, bounded()), { code }));
      const described = await client.describe(path, bounded());
      assert.deepEqual([described.status, described.reason?.message], [status, 'reason' in body ? body.reason : '']);
    });
  }

  it('says what is wrong with a workflow that uses what is not there', async () => {
    const { client } = engine;
    await client.start(impure, { id: 'impure', input: null }, bounded());
    await assert.rejects(
      working(() => client.result('impure', bounded())),
      /a workflow has nothing of Node/,
    );
  });

  it('lists the workflows of its own queue only', async () => {
    const other = await openTemporalEngine({ ...options, taskQueue: 'others' }, bounded());
    await other.client.start(task, { id: 'elsewhere', input: 'd' }, bounded());
    const listed = async (each: TemporalEngine) =>
      (await each.client.list({ pageSize: 100 }, bounded())).items.map(({ id }) => id);
    for (let ids: string[] = []; !ids.includes('elsewhere'); ids = await listed(other));
    assert.deepEqual(await listed(other), ['elsewhere']);
    assert.ok(!(await listed(engine)).includes('elsewhere'));
    await other.close();
  });
});

/** A way to the server that can be closed and opened again, at the same address. */
async function doorTo(server: string) {
  const url = new URL(`tcp://${server}`);
  const sockets = new Set<Socket>();
  let listener: Server | undefined;
  let port = 0;
  const open = async (): Promise<void> => {
    const next = createServer((socket) => {
      const onward = connect(Number(url.port), url.hostname);
      for (const each of [socket, onward]) sockets.add(each.on('error', () => {}));
      socket.pipe(onward).pipe(socket);
    });
    next.listen(port, '127.0.0.1');
    await onceEmitted(next, 'listening');
    ({ port } = next.address() as AddressInfo);
    listener = next;
  };
  const close = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (listener === undefined) resolve();
    else listener.close(() => resolve());
    listener = undefined;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await promise;
  };
  await open();
  return { address: `127.0.0.1:${port}`, open, close };
}
