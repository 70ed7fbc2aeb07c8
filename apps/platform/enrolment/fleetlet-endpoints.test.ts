import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointsFor } from './fleetlet-endpoints.ts';

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
  { why: 'nowhere, where nobody listens', given: { host: 'x' }, want: {} },
]) {
  test(`fleetlets connect ${why}`, () => assert.deepEqual(endpointsFor({ publicUrl: [], ...given }), want));
}
