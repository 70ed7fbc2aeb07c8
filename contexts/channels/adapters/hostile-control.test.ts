import assert from 'node:assert/strict';
import { it } from 'node:test';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { AccessRequestSchema, ToPlatformControlSchema } from '#protocol/proto';
import { openFault } from '../domain/open-fault.ts';
import { decodeAccessRequest } from './access-codec.ts';
import { decodeControlRequest } from './control-codec.ts';
import { decodeFrame, encodeFrame } from './frame-codec.ts';

const LONG = 'x'.repeat(100_000);
type Control = MessageInitShape<typeof ToPlatformControlSchema>;

function control(init: Control) {
  return decodeControlRequest(toBinary(ToPlatformControlSchema, create(ToPlatformControlSchema, init)));
}

function claim(its: Record<string, unknown>): Control {
  return { request: 1n, message: { case: 'registerTarget', value: { name: 'a', type: 'b', ...its } } };
}

it('a registration as fleetlets send it is read', () => {
  assert.equal(control(claim({ labels: { zone: 'a' }, properties: '{}' }))?.kind, 'registerTarget');
});

for (const { why, init } of [
  { why: 'a request that could not be answered', init: { ...claim({}), request: 2n ** 64n - 1n } },
  { why: 'a name with a zero byte', init: claim({ name: 'a\u0000' }) },
  { why: 'a name without end', init: claim({ name: LONG }) },
  { why: 'a type that moves the cursor', init: claim({ type: '\u001b[2J' }) },
  { why: 'an instance without end', init: claim({ instance: LONG }) },
  { why: 'labels without end', init: claim({ labels: { a: LONG } }) },
  { why: 'too many types of manifests', init: claim({ manifestTypes: Array.from({ length: 5_000 }, () => 'x') }) },
  { why: 'properties without end', init: claim({ properties: LONG.repeat(3) }) },
  { why: 'a target that is none', init: { message: { case: 'deregisterTarget', value: { target: '\u0000' } } } },
  { why: 'a channel without end', init: { message: { case: 'resolveData', value: { channel: LONG } } } },
] as readonly { why: string; init: Control }[]) {
  it(`${why} is no control message`, () => assert.equal(control(init), undefined));
}

it('a question about access with a token or a number that nobody has is none', () => {
  const asked = (request: bigint, bearerToken: string) => {
    const question = { case: 'resolveIdentity', value: { bearerToken } } as const;
    return decodeAccessRequest(toBinary(AccessRequestSchema, create(AccessRequestSchema, { request, question })));
  };
  assert.equal(asked(7n, 'token')?.request, 7);
  assert.equal(asked(2n ** 64n - 1n, 'token'), undefined);
  assert.equal(asked(7n, LONG), undefined);
});

it('a frame names its target, process and key in a bounded number of characters, and what it is closed with is text', () => {
  const message = {
    kind: 'message',
    id: 1,
    target: '',
    process: '',
    key: '',
    deadline: 0,
    redelivered: false,
  } as const;
  const rest = { dropped: 0, payload: new Uint8Array(1), chunkedSize: 0, sha256: new Uint8Array(0) };
  for (const name of ['target', 'process', 'key'] as const) {
    assert.throws(() => decodeFrame(encodeFrame({ ...message, ...rest, [name]: LONG })), { code: 'MALFORMED_FRAME' });
  }
  const closed = decodeFrame(
    encodeFrame({ kind: 'close', reason: 'done', message: `\u001b]0;${LONG}`, retryAfterMs: 0 }),
  );
  assert.ok(closed?.kind === 'close' && closed.message.length < 1_100 && !closed.message.includes('\u001b'));
});

it('an incarnation without end opens nothing', () => {
  const memory = {
    incarnation: LONG,
    ofIncarnation: undefined,
    receivedUpTo: 0,
    receivedAbove: [],
    unacknowledged: [],
  };
  const names = { session: 's', channel: 'control', process: 'p', target: '', stream: '' };
  const rest = { version: 1, oldestVersion: 1, shard: 0, shards: 1, ticket: new Uint8Array(0), reads: false };
  const open = {
    kind: 'open',
    mode: 'reliable',
    ...names,
    ...rest,
    memory,
    window: { messages: 1, bytes: 1 },
  } as const;
  assert.match(openFault(open) ?? '', /incarnation/);
});
