import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FIRST_FRAME_BYTES } from '../transport.ts';
import { MAX_FRAME_BYTES, roundTrip, setScene, type TransportUnderTest } from './contract-scene.ts';
import { StreamRecorder } from './stream-recorder.ts';

/** A failure of one stream does not affect the others; a failure of the connection affects all. */
export function goesWrong(subject: TransportUnderTest): void {
  it('closes all streams of a connection that was cut, at both ends', async (t) => {
    const scene = await setScene(t, subject);
    const [one, two] = [await scene.open(), await scene.open()];
    await roundTrip(one);
    scene.stage.cut();
    for (const { calling, called } of [one, two]) {
      assert.deepEqual([await calling.end(), await called.end()], ['CONNECTION_LOST', 'CONNECTION_LOST']);
    }
    assert.equal((await scene.connection.closed)?.code, 'CONNECTION_LOST');
    const late = new StreamRecorder();
    scene.connection.open(late).send(Buffer.from('goes nowhere'));
    assert.equal(await late.end(), 'CONNECTION_LOST');
  });

  it('closes streams that are paused, too, when their connection is closed', async (t) => {
    const scene = await setScene(t, subject);
    const { calling, called } = await scene.open();
    calling.onFrame = () => calling.stream.pause();
    for (const text of ['a', 'b', 'c']) called.stream.send(Buffer.from(text));
    called.stream.end();
    calling.stream.end();
    await calling.until(() => calling.frames.length === 1);
    await roundTrip(await scene.open());
    await scene.connection.close();
    assert.equal(await calling.end(), 'CONNECTION_LOST');
    assert.deepEqual(calling.texts(), ['a']);
  });

  it('refuses a stream whose taker throws, and no other', async (t) => {
    const scene = await setScene(t, subject);
    const other = await scene.open();
    const refused = new StreamRecorder();
    scene.connection.open(refused, { refuse: 'yes' }).send(Buffer.from('hello'));
    assert.equal(await refused.end(), 'REFUSED');
    assert.deepEqual(
      scene.thrown.map((error) => error instanceof Error && error.message),
      ['not this one'],
    );
    await roundTrip(other);
  });

  it('takes only small frames of a stranger, and larger ones once it is admitted', async (t) => {
    const scene = await setScene(t, subject);
    const other = await scene.open();
    const { calling, called } = await scene.open({ stranger: 'yes' });
    calling.stream.send(Buffer.from('a'));
    await called.until(() => called.frames.length === 1);
    called.stream.admit?.();
    calling.stream.send(new Uint8Array(FIRST_FRAME_BYTES + 1));
    await called.until(() => called.frames.length === 2);
    const stranger = await scene.open({ stranger: 'yes' });
    stranger.calling.stream.send(new Uint8Array(FIRST_FRAME_BYTES + 1));
    if (stranger.called.stream.peer.isTrusted === true) {
      await stranger.called.until(() => stranger.called.frames.length === 1);
    } else {
      assert.equal(await stranger.called.end(), 'FRAME_TOO_LARGE');
      assert.equal(stranger.called.frames.length, 0);
    }
    await roundTrip(other);
  });

  for (const first of ['calling', 'called'] as const) {
    it(`closes a stream on which the one ${first} sends more than is taken at once, and no other`, async (t) => {
      const scene = await setScene(t, subject);
      const other = await scene.open();
      const { [first]: large, [first === 'calling' ? 'called' : 'calling']: small } = await scene.open();
      large.stream.send(Buffer.from('a'));
      large.stream.send(new Uint8Array(MAX_FRAME_BYTES + 1));
      assert.deepEqual([await small.end(), await large.end()], ['FRAME_TOO_LARGE', 'FRAME_TOO_LARGE']);
      assert.deepEqual(small.texts(), ['a']);
      await roundTrip(other);
    });
  }
}
