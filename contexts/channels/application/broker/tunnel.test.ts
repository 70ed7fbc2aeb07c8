import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { until } from '../../testing/an-uplink.ts';
import { BrokerStage, claimOf } from '../../testing/broker-stage.ts';
import { type ByteStream, LinkedBytes } from '../byte-stream.ts';

/** A platform that accepts byte streams, and a process that serves a target. */
async function ends(t: TestContext) {
  const stage = new BrokerStage();
  t.after(() => stage.close());
  const far = { bytes: undefined as ByteStream | undefined, heard: '', hasEnded: false, closed: [] as unknown[] };
  stage.platform.refuse = ({ mode }) =>
    mode === 'bytes'
      ? {
          kind: 'raw',
          take: (link, open, version) => {
            const { memory, window, session } = open;
            link.send({ kind: 'opened', version, session, memory, window });
            const bytes = new LinkedBytes(link, {
              data: (data) => void (far.heard += Buffer.from(data).toString()),
              room: () => {},
              ended: () => void (far.hasEnded = true),
              closed: (why) => void far.closed.push(why),
            });
            far.bytes = bytes;
            return bytes;
          },
        }
      : undefined;
  const agent = stage.local('agent');
  agent.ask({ request: 1, kind: 'registerTarget', claim: claimOf('edge-1') });
  await until(() => agent.news.some(({ kind }) => kind === 'targetAccepted'));
  const wanted = { channel: 'tunnel/api', target: 'uid-edge-1', stream: 's-1' } as const;
  const key = Buffer.from('secret');
  const asksForIt = (): void =>
    stage.tell({ request: 0, kind: 'openStream', ...wanted, mode: 'bytes', deadline: 0, key });
  return { stage, far, agent, wanted, asksForIt };
}

/** The platform has asked for a stream, and the process has called back. */
async function tunnel(t: TestContext) {
  const { stage, far, agent, wanted, asksForIt } = await ends(t);
  asksForIt();
  await until(() => agent.news.some((news) => news.kind === 'openStream' && news.stream === 's-1'));
  const near = { heard: '', closed: [] as unknown[] };
  const { channel: name, ...rest } = wanted;
  const stream = agent.uplink.openBytes(
    { name, ...rest, connectionClass: 'control' },
    {
      data: (data) => void (near.heard += Buffer.from(data).toString()),
      room: () => {},
      ended: () => {},
      closed: (why) => void near.closed.push(why),
    },
  );
  await until(() => far.bytes !== undefined);
  return { stage, far, near, stream, agent };
}

suite('bytes through a fleetlet', () => {
  test('go both ways, and end one way at a time', async (t) => {
    const { stage, far, near, stream } = await tunnel(t);
    assert.equal(stage.platform.opens.find(({ mode }) => mode === 'bytes')?.stream, 's-1');
    stream.write(Buffer.from('GET / HTTP/1.1'));
    stream.end();
    await until(() => far.hasEnded);
    assert.equal(far.heard, 'GET / HTTP/1.1');
    far.bytes?.write(Buffer.from('HTTP/1.1 200 OK'));
    far.bytes?.end();
    await until(() => near.closed.length === 1 && far.closed.length === 1);
    assert.deepEqual([near.heard, near.closed, far.closed], ['HTTP/1.1 200 OK', [undefined], [undefined]]);
  });

  test('are over for both when either is lost', async (t) => {
    const { far, near, stage } = await tunnel(t);
    stage.cutUplink();
    await until(() => near.closed.length === 1 && far.closed.length === 1);
    assert.notEqual(near.closed[0], undefined);
  });

  test('are told at once that the process is not there, when it is not', async (t) => {
    const { stage, far, agent, asksForIt } = await ends(t);
    await agent.stop();
    await until(() => {
      if (far.bytes === undefined) asksForIt();
      return far.closed.length > 0;
    });
    assert.match(String(far.closed[0]), /is not connected/);
    const [refusal] = stage.platform.opens.filter(({ mode }) => mode === 'bytes');
    assert.equal(Buffer.from(refusal?.ticket ?? []).toString(), 'keyed', 'so that nobody is told to upgrade it');
    assert.equal(stage.broker.stats().targets, 1, 'though it may come back, and nobody has given it up');
  });

  test('are refused as soon as the process is gone that was asked for them, before anything is given up', async (t) => {
    const { stage, far, agent, asksForIt } = await ends(t);
    asksForIt();
    await until(() => agent.news.some(({ kind }) => kind === 'openStream'));
    assert.equal(far.bytes, undefined, 'it has not called back');
    agent.cut();
    await until(() => far.closed.length > 0);
    assert.match(String(far.closed[0]), /is not connected/);
    assert.equal(stage.platform.opens.find(({ mode }) => mode === 'bytes')?.stream, 's-1');
    assert.equal(stage.broker.stats().processes, 1, 'it may come back');
  });

  test('that were opened are not refused when the process goes', async (t) => {
    const { stage, far, agent } = await tunnel(t);
    agent.cut();
    await until(() => far.closed.length === 1);
    assert.doesNotMatch(String(far.closed[0]), /is not connected/);
    assert.equal(stage.platform.opens.filter(({ mode }) => mode === 'bytes').length, 1);
  });

  test('of a target that is not its own are refused to a process', async (t) => {
    const { stage } = await tunnel(t);
    const closed: (string | undefined)[] = [];
    stage
      .local('thief')
      .uplink.openBytes(
        { name: 'tunnel/api', target: 'uid-edge-1', stream: 's-1', connectionClass: 'control' },
        { data: () => {}, room: () => {}, ended: () => {}, closed: (why) => void closed.push(why) },
      );
    await until(() => closed.length === 1);
    assert.match(closed[0] ?? '', /registered by another process/);
  });
});
