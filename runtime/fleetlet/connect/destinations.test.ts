import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FleetletError } from '../fleetlet-error.ts';
import { apisOf, destinations, nameOf } from './destinations.ts';
import { platformAddress } from './platform-address.ts';

const ANNOUNCED = {
  grpc: 'one.example:8702',
  websocket: 'wss://one.example:8701/ws',
  replicas: [
    { grpc: 'one.example:8702', websocket: 'wss://one.example:8701/ws' },
    { grpc: '[fd00::2]:8702' },
    { websocket: 'wss://three.example/ws' },
  ],
};

suite('where a fleetlet connects', () => {
  const rows = [
    {
      why: 'every replica once, gRPC first',
      platform: 'https://one.example:8701',
      want: ['one.example:8702', '[fd00::2]:8702', 'wss://three.example/ws'],
    },
    {
      why: 'the transport is set',
      platform: 'https://one.example:8701',
      transport: 'websocket' as const,
      want: ['wss://one.example:8701/ws', 'wss://three.example/ws'],
    },
    { why: 'an address in the settings is the only one', platform: 'lb.example:443', want: ['lb.example:443'] },
    { why: 'so is a URL', platform: 'wss://lb.example/', want: ['wss://lb.example/'] },
  ];
  for (const { why, platform, transport, want } of rows) {
    test(why, () => {
      const settings = { platform: platformAddress.parse(platform), transport };
      assert.deepEqual(destinations(settings, ANNOUNCED).map(nameOf), want);
    });
  }

  test('an endpoint that is no address is left out, and without any other there is no way there', () => {
    const settings = { platform: platformAddress.parse('https://one.example'), transport: undefined };
    const broken = { grpc: 'one.example', replicas: [{ websocket: 'http://two' }, { grpc: 'two.example:1' }] };
    assert.deepEqual(destinations(settings, broken).map(nameOf), ['two.example:1']);
    const isNoWay = (error: unknown): boolean => error instanceof FleetletError && error.code === 'NO_WAY_THERE';
    assert.throws(() => destinations(settings, { grpc: 'one.example' }), isNoWay);
  });

  test('the API of each replica is where its WebSocket is, after the one that was configured', () => {
    const apis = apisOf(new URL('https://one.example:8701/'), ANNOUNCED).map(({ href }) => href);
    assert.deepEqual(apis, ['https://one.example:8701/', 'https://three.example/']);
  });
});
