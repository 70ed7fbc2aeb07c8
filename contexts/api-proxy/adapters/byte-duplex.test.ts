import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { ByteDuplex } from './byte-duplex.ts';

test('a head and the small body written with it are one write of the transport', async () => {
  const { duplex, written } = aTunnel();
  duplex.cork();
  duplex.write('HTTP/1.1 200 OK\r\n\r\n');
  duplex.write('body');
  duplex.uncork();
  duplex.end();
  await once(duplex, 'finish');
  assert.deepEqual(written.map(String), ['HTTP/1.1 200 OK\r\n\r\nbody']);
});

test('large bytes are passed on uncopied, in order', async () => {
  const { duplex, written } = aTunnel();
  const large = Buffer.alloc(64 * 1024, 'x');
  duplex.cork();
  duplex.write('head');
  duplex.write(large);
  duplex.write('tail');
  duplex.uncork();
  duplex.end();
  await once(duplex, 'finish');
  assert.deepEqual(
    written.map(({ length }) => length),
    [4, large.length, 4],
  );
  assert.equal(written[1], large);
});

test('several writes at once wait for room like one', async () => {
  let rooms = 0;
  const { duplex } = aTunnel(() => false);
  duplex.cork();
  duplex.write('a');
  duplex.write('b', () => void (rooms += 1));
  duplex.uncork();
  await new Promise(setImmediate);
  assert.equal(rooms, 0, 'the transport has no room yet');
  duplex.handlers.room();
  await new Promise(setImmediate);
  assert.equal(rooms, 1);
});

/** A tunnel whose transport keeps what is written, and has room as the function says. */
function aTunnel(hasRoom = (): boolean => true) {
  const written: Uint8Array[] = [];
  const none = (): void => {};
  const duplex = new ByteDuplex().over({
    write: (data) => {
      written.push(data);
      return hasRoom();
    },
    end: none,
    destroy: none,
    pause: none,
    resume: none,
  });
  return { duplex, written };
}
