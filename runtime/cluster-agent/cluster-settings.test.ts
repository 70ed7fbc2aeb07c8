import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { resolveSettings } from '#kit/config';
import { apiUsers, CLUSTER_SETTINGS } from './cluster-settings.ts';

function read(args: readonly string[], environment: Record<string, string> = {}) {
  return resolveSettings({ settings: CLUSTER_SETTINGS, args, environment, readText: () => '' }).values;
}

suite('settings of processes that serve clusters', () => {
  test('callers are users of their own unless the installer says otherwise', () => {
    assert.equal(apiUsers(read([])), 'all');
    assert.deepEqual(apiUsers(read([], { FLEETSHIFT_API_PROXY_USERS: 'none' })), new Set());
    assert.deepEqual(
      apiUsers(read(['--api-proxy-users', 'user:alice,serviceAccount:shop/ci'])),
      new Set(['user:alice', 'serviceAccount:shop/ci']),
    );
  });
});
