import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type ControlReply,
  type ControlRequest,
  REVERSE_MODES,
  SERVINGS,
  TARGET_REFUSALS,
} from '../domain/control-message.ts';
import { decodeControlReply, decodeControlRequest, encodeControlReply, encodeControlRequest } from './control-codec.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const texts = fc.array(text, { maxLength: 3 });
const request = fc.nat();
const time = fc.nat();

const claim = fc.record({
  name: text,
  type: text,
  serving: fc.constantFrom(...SERVINGS),
  labels: fc.dictionary(
    fc.string({ minLength: 1, maxLength: 8 }).filter((key) => key !== '__proto__'),
    text,
    {
      noNullPrototype: true,
    },
  ),
  properties: text,
  manifestTypes: texts,
  instance: text,
  agentVersion: text,
});

const requests: fc.Arbitrary<ControlRequest> = fc.oneof(
  fc.record({ request, kind: fc.constantFrom('registerTarget', 'updateTarget'), claim }),
  fc.record({ request, kind: fc.constant('deregisterTarget'), target: text }),
  fc.record({ request, kind: fc.constant('resolveData'), channel: text }),
  fc.record({ request, kind: fc.constant('listening'), addresses: texts, channels: texts }),
);

const welcome = {
  platform: text,
  platformVersion: text,
  fleetlet: text,
  heartbeatMs: fc.nat(),
  authorities: text,
  ticketKey: text,
};

const replies: fc.Arbitrary<ControlReply> = fc.oneof(
  fc.record({ request, kind: fc.constant('welcome'), ...welcome }),
  fc.record({ request, kind: fc.constant('targetAccepted'), target: text, name: text }),
  fc.record({
    request,
    kind: fc.constant('targetRefused'),
    name: text,
    reason: fc.constantFrom(...TARGET_REFUSALS),
    message: text,
  }),
  fc.record({ request, kind: fc.constant('targetSuperseded'), target: text, message: text }),
  fc.record({ request, kind: fc.constant('targetDeregistered'), target: text }),
  fc.record({
    request,
    kind: fc.constant('openStream'),
    stream: text,
    channel: text,
    target: text,
    mode: fc.constantFrom(...REVERSE_MODES),
    deadline: time,
    key: fc.uint8Array({ maxLength: 8 }),
  }),
  fc.record({
    request,
    kind: fc.constant('dataRoute'),
    channel: text,
    addresses: texts,
    ticket: fc.uint8Array({ maxLength: 8 }),
    ticketExpires: time,
    serverName: text,
    message: text,
  }),
  fc.record({ request, kind: fc.constant('syncNow'), targets: texts }),
  fc.record({ request, kind: fc.constant('renewCertificate') }),
  fc.record({
    request,
    kind: fc.constant('replicaList'),
    replicas: fc.array(fc.record({ grpc: fc.string(), websocket: fc.string() }), { maxLength: 5 }),
  }),
);

test('what is asked arrives as it was asked', () => {
  fc.assert(
    fc.property(requests, (asked) =>
      assert.deepEqual(decodeControlRequest(encodeControlRequest(asked)), structuredClone(asked)),
    ),
  );
});

test('what is answered arrives as it was answered', () => {
  fc.assert(
    fc.property(replies, (said) =>
      assert.deepEqual(decodeControlReply(encodeControlReply(said)), structuredClone(said)),
    ),
  );
});

test('what is no message, or of a later release, is told apart and never thrown', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      decodeControlRequest(bytes);
      decodeControlReply(bytes);
    }),
  );
  assert.equal(decodeControlRequest(new Uint8Array()), undefined);
  assert.equal(decodeControlReply(Uint8Array.of(0xff)), undefined);
});
