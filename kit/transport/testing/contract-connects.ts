import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Transport } from '../transport.ts';
import { roundTrip, setScene, type TransportUnderTest } from './contract-scene.ts';
import { StreamRecorder } from './stream-recorder.ts';

/** Connections succeed or fail with a reason, and leave nothing behind. */
export function connects(subject: TransportUnderTest): void {
  it('says so when nobody is there', async (t) => {
    const nowhere = await subject.nowhere();
    await assert.rejects(nowhere.connect(t.signal), { code: 'UNREACHABLE' });
  });

  it('does not connect for somebody who has gone', async (t) => {
    const { stage } = await setScene(t, subject);
    const why = new Error('gone');
    await assert.rejects(stage.transport.connect(AbortSignal.abort(why)), why);
  });

  it('takes no more connections when it is told so, and keeps those that it has', async (t) => {
    const scene = await setScene(t, subject);
    const open = await scene.open();
    await scene.stage.server.stopListening();
    await assert.rejects(connectAndTalk(scene.stage.transport, t.signal));
    await roundTrip(open);
  });

  it('leaves nothing open when the server is closed', async (t) => {
    const before = openSockets();
    const scene = await setScene(t, subject);
    const { calling, called } = await scene.open();
    await scene.stage.server.close();
    assert.deepEqual([await calling.end(), await called.end()], ['CONNECTION_LOST', 'CONNECTION_LOST']);
    await scene.connection.closed;
    await scene.stage.close();
    while (openSockets() > before) await delay(5);
  });
}

/** A connection may succeed and still be useless; then its first stream fails. */
async function connectAndTalk(transport: Transport, signal: AbortSignal): Promise<void> {
  const connection = await transport.connect(signal);
  try {
    const recorder = new StreamRecorder();
    connection.open(recorder).send(Buffer.from('hello'));
    await recorder.until(() => recorder.closes.length > 0);
    throw recorder.closes[0] ?? new Error('it was ended in order');
  } finally {
    await connection.close();
  }
}

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => /TCP|Pipe|TLS/.test(kind)).length;
}
