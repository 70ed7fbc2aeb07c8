import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { usableEndpoints } from './endpoints.ts';

function read(given: unknown) {
  const unusable: string[] = [];
  const endpoints = usableEndpoints(given, (endpoint, expected) => unusable.push(`${endpoint} ${expected}`));
  return { endpoints, unusable };
}

suite('endpoints that the platform sends', () => {
  test('what can be connected to stays, and what is empty is no fault', () => {
    const given = {
      grpc: 'one.example:8702',
      websocket: 'wss://one.example:8701/v1/ws',
      replicas: [{ grpc: '[fd00::2]:8702', websocket: '' }],
    };
    const { endpoints, unusable } = read(given);
    assert.deepEqual(endpoints, { ...given, replicas: [{ grpc: '[fd00::2]:8702' }] });
    assert.deepEqual(unusable, []);
    assert.deepEqual(read(undefined).endpoints, {});
  });

  const rows = [
    { why: 'no port', field: 'grpc', value: 'one.example' },
    { why: 'port 0', field: 'grpc', value: 'one.example:0' },
    { why: 'a port that does not exist', field: 'grpc', value: 'one.example:65536' },
    { why: 'IPv6 without brackets', field: 'grpc', value: 'fd00::2:8702' },
    { why: 'a path', field: 'grpc', value: 'one.example:1/path' },
    { why: 'too long', field: 'grpc', value: `${'a'.repeat(300)}:1` },
    { why: 'no text', field: 'grpc', value: 8702 },
    { why: 'without TLS', field: 'websocket', value: 'ws://one.example/' },
    { why: 'another scheme', field: 'websocket', value: 'https://one.example/' },
    { why: 'no URL', field: 'websocket', value: 'one.example' },
    { why: 'with a password', field: 'websocket', value: 'wss://a:b@one.example/' },
    { why: 'a URL that is too long', field: 'websocket', value: `wss://one.example/${'a'.repeat(300)}` },
  ];
  for (const { why, field, value } of rows) {
    test(`${field} with ${why} is set aside, and the others stay`, () => {
      const { endpoints, unusable } = read({
        grpc: 'own.example:1',
        replicas: [
          { [field]: value },
          { grpc: 'two.example:2', [field]: value },
          { websocket: 'wss://three.example/' },
        ],
      });
      const two = field === 'grpc' ? [] : [{ grpc: 'two.example:2' }];
      assert.deepEqual(endpoints.replicas, [...two, { websocket: 'wss://three.example/' }]);
      assert.equal(unusable.length, 2);
      assert.ok(unusable.every((said) => said.startsWith(String(value).slice(0, 300)) && said.length < 330));
    });
  }
});
