import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Asked, Conversation } from './conversation.ts';
import { CALLERS } from './conversation.ts';
import type { Seen } from './recording-server.ts';

const HANG_MS = 20_000;

/** Says it all at the door; what came back until the connection was closed. */
export async function converse(door: string, { asked, isLeft }: Conversation): Promise<string> {
  const { hostname, port } = new URL(door);
  const socket = connect(Number(port), hostname);
  socket.setTimeout(HANG_MS, () => socket.destroy(new Error('nothing came for too long')));
  let heard = '';
  let failure: Error | undefined;
  socket.on('data', (data) => (heard += data.toString('latin1')));
  socket.on('error', (error) => (failure = error));
  const written = socket.write(asked.map(({ bytes }) => bytes).join(''), 'latin1');
  if (isLeft) {
    if (!written) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
    socket.destroy();
  }
  if (!socket.closed) await once(socket, 'close').catch(() => {});
  if (failure?.message.startsWith('nothing came'))
    throw new Error(`it hangs; so far it was answered ${heard.slice(0, 2_000)}`);
  return heard;
}

/** The answers are those to the requests of this connection, in their order, each once; none is missing that is due. */
export function checkAnswers({ asked }: Conversation, heard: string, isStrict: boolean): void {
  const cases = [...heard.matchAll(/^x-case: (\S+)\r$/gim)].map(([, path]) => path ?? '');
  const own = asked.filter(({ arrives }) => arrives !== 'never').map(({ path }) => path);
  const foreign = cases.find((path) => !own.includes(path) && !own.includes(path.replace(/^planted-/, '')));
  assert.equal(foreign, undefined, 'an answer is to a request of somebody else');
  const due = asked.filter(({ isAnswered }) => isAnswered).map(({ path }) => path);
  if (!isStrict) return;
  assert.deepEqual(cases, due, `the answers that were due; it was answered ${heard.slice(0, 2_000)}`);
  for (const { echo } of asked) if (echo !== undefined) assert.ok(heard.endsWith(echo), 'what was upgraded came back');
}

/** Everything that was asked so far, by its path: what the server sees is one of these, once. */
export class Register {
  readonly #asked = new Map<string, Asked>();
  readonly #seen = new Set<string>();

  add({ asked }: Conversation): void {
    for (const each of asked) this.#asked.set(each.path, each);
  }

  check(seen: readonly Seen[]): void {
    for (const each of seen) this.#checkOne(each);
  }

  /** What is due of these has been seen. */
  settle({ asked }: Conversation): void {
    for (const { path, isAnswered } of asked) {
      if (isAnswered) assert.ok(this.#seen.has(path), `${path} was answered, and never seen`);
    }
  }

  #checkOne({ method, path, body, cut, header }: Seen): void {
    const asked = this.#asked.get(path);
    const what = `${method} ${path} as ${header['Impersonate-User']?.join()}`;
    assert.ok(asked !== undefined && asked.arrives !== 'never', `the server saw ${what}, which nobody was allowed`);
    assert.ok(!this.#seen.has(path), `the server saw ${what} twice`);
    this.#seen.add(path);
    assert.equal(method, asked.method, what);
    const text = Buffer.from(body, 'base64').toString('latin1');
    if (asked.arrives === 'whole' && !cut) assert.equal(text, asked.body, what);
    else if (asked.arrives === 'cut') assert.deepEqual([cut, asked.body.slice(0, text.length)], [true, text], what);
    assert.deepEqual(header['Impersonate-User'], [`fleetshift:user:${asked.as}`], what);
    assert.equal(header['Impersonate-Group']?.[0], `fleetshift:role:${CALLERS[asked.as]}`, what);
    assert.deepEqual(header['Authorization'], ['Bearer token-of-the-agent'], what);
    const ours = Object.keys(header).filter((name) => /^(?:fleetshift|x-remote)-/i.test(name));
    assert.deepEqual(ours, [], what);
  }
}
