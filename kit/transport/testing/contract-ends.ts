import assert from 'node:assert/strict';
import { it } from 'node:test';
import { roundTrip, setScene, type TransportUnderTest } from './contract-scene.ts';

/** Streams end gracefully or are destroyed, without affecting others. */
export function endsStreams(subject: TransportUnderTest): void {
  for (const first of ['calling', 'called'] as const) {
    const second = first === 'calling' ? 'called' : 'calling';
    it(`ends in order when the one ${first} has said all: what was sent arrives, both ways`, async (t) => {
      const scene = await setScene(t, subject);
      const both = await scene.open();
      for (let index = 0; index < 100; index += 1) both[first].stream.send(new Uint8Array(10_000));
      both[second].stream.send(Buffer.from('until it hears of it'));
      both[first].stream.end();
      both[first].stream.send(Buffer.from('goes nowhere'));
      assert.deepEqual([await both[first].end(), await both[second].end()], ['in order', 'in order']);
      assert.equal(both[second].frames.length, 100);
      assert.deepEqual(both[first].texts(), ['until it hears of it']);
      both[second].stream.send(Buffer.from('goes nowhere'));
      await roundTrip(await scene.open());
      assert.deepEqual([both[first].closes.length, both[second].closes.length], [1, 1]);
    });

    it(`lets the one ${second} read in its own time what was sent before the end`, async (t) => {
      const scene = await setScene(t, subject);
      const both = await scene.open();
      both[second].stream.pause();
      for (const text of ['a', 'b', 'c']) both[first].stream.send(Buffer.from(text));
      both[first].stream.end();
      await roundTrip(await scene.open());
      assert.deepEqual([both[second].frames, both[second].closes], [[], []]);
      both[second].stream.resume();
      assert.equal(await both[second].end(), 'in order');
      assert.deepEqual(both[second].texts(), ['a', 'b', 'c']);
    });

    it(`is over at both ends once the one ${first} destroys it, and others go on`, async (t) => {
      const scene = await setScene(t, subject);
      const other = await scene.open();
      const both = await scene.open();
      both[first].stream.destroy();
      both[first].stream.destroy();
      both[first].stream.send(Buffer.from('goes nowhere'));
      assert.deepEqual([await both[first].end(), await both[second].end()], ['CONNECTION_LOST', 'CONNECTION_LOST']);
      await roundTrip(other);
      assert.deepEqual([both[first].closes.length, both[second].closes.length], [1, 1]);
    });
  }

  it('ends when both ends say so at once', async (t) => {
    const { calling, called } = await (await setScene(t, subject)).open();
    calling.stream.end();
    called.stream.end();
    assert.deepEqual([await calling.end(), await called.end()], ['in order', 'in order']);
  });

  it('leaves no stream behind when its connection is closed', async (t) => {
    const scene = await setScene(t, subject);
    const [one, two] = [await scene.open(), await scene.open()];
    await scene.connection.close();
    assert.equal(await scene.connection.closed, undefined);
    for (const { calling, called } of [one, two]) {
      assert.equal(calling.closes[0]?.code, 'CONNECTION_LOST');
      assert.equal(await called.end(), 'CONNECTION_LOST');
    }
  });
}
