import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Asked, Conversation } from './conversation.ts';
import { CALLERS } from './place.ts';
import type { Seen } from './recording-server.ts';

const HANG_MS = 20_000;

export interface Door {
  readonly url: string;
  /** The CA of the door, where it uses TLS. */
  readonly ca?: string;
}

/** Sends the whole conversation to the door; returns everything received until the connection closes. */
export async function converse({ url, ca }: Door, { asked, isLeft }: Conversation): Promise<string> {
  const { hostname: host, port } = new URL(url);
  const to = { host, port: Number(port) };
  const socket = ca === undefined ? connect(to) : connectTls({ ...to, ca });
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

/** The cases that these answers belong to, as the recording server labels them. */
export function recordedCases(heard: string): string[] {
  return [...heard.matchAll(/^x-case: (\S+)\r$/gim)].map(([, path]) => path ?? '');
}

/** Checks that the answers belong to the requests of this connection, in order and once each, and that none is missing. */
export function checkAnswers({ asked, isUnsure }: Conversation, heard: string, cases: readonly string[]): void {
  const own = asked.filter(({ arrives }) => arrives !== 'never').map(({ path }) => path);
  const foreign = cases.find((path) => !own.includes(path) && !own.includes(path.replace(/^planted-/, '')));
  assert.equal(foreign, undefined, 'an answer is to a request of somebody else');
  const due = asked.filter(({ isAnswered }) => isAnswered).map(({ path }) => path);
  if (isUnsure) return;
  assert.deepEqual(cases, due, `the answers that were due; it was answered ${heard.slice(0, 2_000)}`);
  for (const { echo } of asked) if (echo !== undefined) assert.ok(heard.endsWith(echo), 'what was upgraded came back');
}

/** All requests so far, by path: the server must see only these, once each. */
export class Register {
  readonly #asked = new Map<string, Asked>();
  readonly #seen = new Set<string>();

  add({ asked }: Conversation): void {
    for (const each of asked) this.#asked.set(each.path, each);
  }

  check(seen: readonly Seen[]): void {
    for (const each of seen) this.#checkOne(each);
  }

  /** Checks that every request due from this conversation has been seen. */
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
