import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { suite, test } from 'node:test';
import { type Addresses, announcedEndpoints, endpointsFor, isGuessed } from './fleetlet-endpoints.ts';

const https = { host: '127.0.0.1', port: 8701 };
const fleetlets = { host: '::1', port: 8702 };

for (const { why, given, want } of [
  {
    why: 'by the name that the caller found us at',
    given: { host: 'fleet.example:8701', https, fleetlets },
    want: { grpc: 'fleet.example:8702', websocket: 'wss://fleet.example:8701/v1/fleetlet' },
  },
  {
    why: 'by the address that we listen at, for a caller who says none',
    given: { host: undefined, https, fleetlets },
    want: { grpc: '[::1]:8702', websocket: 'wss://127.0.0.1:8701/v1/fleetlet' },
  },
  {
    why: 'by the same for one who says nonsense',
    given: { host: 'a@b/c', https, fleetlets },
    want: { grpc: '[::1]:8702', websocket: 'wss://127.0.0.1:8701/v1/fleetlet' },
  },
  {
    why: 'by what the operator says, where a proxy is in front',
    given: { host: 'inside', https, publicUrl: [new URL('http://x'), new URL('https://fleet.example')] },
    want: { websocket: 'wss://fleet.example/v1/fleetlet' },
  },
  {
    why: 'also to the other replicas, as these announce themselves',
    given: { host: 'fleet.example', fleetlets, others: [{ grpc: 'two.example:8702' }] },
    want: { grpc: 'fleet.example:8702', replicas: [{ grpc: 'two.example:8702' }] },
  },
  {
    why: 'by the one name of all replicas, and that alone',
    given: { host: 'inside', advertise: 'lb.example', https, fleetlets, others: [{ grpc: 'two.example:8702' }] },
    want: { grpc: 'lb.example:8702', websocket: 'wss://lb.example:8701/v1/fleetlet' },
  },
  {
    why: 'by the host name, for a caller who says none of a platform that listens everywhere',
    given: { host: undefined, fleetlets: { host: '::', port: 8702 } },
    want: { grpc: `${hostname()}:8702` },
  },
  { why: 'nowhere, where nobody listens', given: { host: 'x' }, want: {} },
]) {
  test(`fleetlets connect ${why}`, () =>
    assert.deepEqual(endpointsFor({ publicUrl: [], tlsName: [], ...given }), want));
}

const everywhere = { host: '0.0.0.0', port: 8702 };

suite('a replica announces itself', () => {
  const rows: readonly {
    readonly why: string;
    readonly given: Partial<Addresses>;
    readonly want: ReturnType<typeof announcedEndpoints>;
    readonly guessed?: boolean;
  }[] = [
    {
      why: 'by the addresses that it listens at',
      given: { https, fleetlets },
      want: { grpc: '[::1]:8702', websocket: 'wss://127.0.0.1:8701/v1/fleetlet' },
    },
    {
      why: 'each listener by itself: one that listens everywhere has no address to connect to',
      given: { https, fleetlets: everywhere },
      want: { grpc: `${hostname()}:8702`, websocket: 'wss://127.0.0.1:8701/v1/fleetlet' },
      guessed: true,
    },
    {
      why: 'the other way round, too',
      given: { https: { host: '::', port: 8701 }, fleetlets },
      want: { grpc: '[::1]:8702', websocket: `wss://${hostname()}:8701/v1/fleetlet` },
      guessed: true,
    },
    {
      why: 'by a name that is set, if it can be connected to',
      given: { fleetlets: everywhere, tlsName: ['*.example', 'one.example'] },
      want: { grpc: 'one.example:8702' },
    },
    {
      why: 'a name of the certificate is no reason to leave an address that works',
      given: { fleetlets, tlsName: ['one.example'] },
      want: { grpc: '[::1]:8702' },
    },
    {
      why: 'by the one name of all',
      given: { https, fleetlets: everywhere, advertise: 'lb.example', tlsName: ['one.example'] },
      want: { grpc: 'lb.example:8702', websocket: 'wss://lb.example:8701/v1/fleetlet' },
    },
    {
      why: 'by its public URL, behind a proxy',
      given: { https: { host: '0.0.0.0', port: 8701 }, publicUrl: [new URL('https://fleet.example')] },
      want: { websocket: 'wss://fleet.example/v1/fleetlet' },
    },
    { why: 'not at all before it listens', given: {}, want: {} },
  ];
  for (const { why, given, want, guessed = false } of rows) {
    test(why, () => {
      const addresses = { publicUrl: [], tlsName: [], ...given };
      assert.deepEqual(announcedEndpoints(addresses), want);
      assert.equal(isGuessed(addresses), guessed);
    });
  }
});
