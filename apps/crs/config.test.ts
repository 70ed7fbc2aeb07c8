import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ConfigError } from '#kit/config';
import { resolveCrsConfig } from './config.ts';

function resolve(args: readonly string[], environment: Record<string, string> = {}) {
  return resolveCrsConfig({ args, environment, readText: () => '' }).values;
}

suite('settings of the ClusterResourceSet controller', () => {
  test('nothing is needed, and then it is what Cluster API does', () => {
    const { concurrency, syncPeriod, leaderElect, namespace, prune, serverSideApply, driftRepair, keepResources } =
      resolve([]);
    assert.deepEqual([concurrency, syncPeriod, leaderElect, namespace], [10, 600_000, false, undefined]);
    assert.deepEqual([prune, serverSideApply, driftRepair, keepResources], [false, false, undefined, false]);
  });

  test('variables of the command line client beside it mean nothing', () => {
    assert.equal(resolve([], { FLEETSHIFT_CONTEXT: 'prod', FLEETSHIFT_TOKEN: 'x' }).kubeContext, undefined);
    assert.equal(resolve([], { FLEETSHIFT_KUBE_CONTEXT: 'prod' }).kubeContext, 'prod');
  });

  const WEBHOOKS = ['--webhook-listen', '127.0.0.1:0'];
  for (const { why, args, faults } of [
    {
      why: 'a deadline that is no shorter than the lease',
      args: ['--leader-elect-renew-deadline', '15s'],
      faults: ['/leader-elect-renew-deadline'],
    },
    {
      why: 'a retry that is no shorter than the deadline',
      args: ['--leader-elect-retry-period', '10s'],
      faults: ['/leader-elect-retry-period'],
    },
    { why: 'webhooks without a certificate', args: WEBHOOKS, faults: ['/webhook-listen'] },
    {
      why: 'webhooks with two certificates',
      args: [...WEBHOOKS, '--webhook-cert-dir', '/c', '--webhook-cert-secret', 's', '--webhook-name', 'n'],
      faults: ['/webhook-listen'],
    },
    {
      why: 'an own certificate without a name',
      args: [...WEBHOOKS, '--webhook-cert-secret', 's'],
      faults: ['/webhook-cert-secret'],
    },
    { why: 'a certificate without webhooks', args: ['--webhook-cert-dir', '/c'], faults: ['/webhook-cert-dir'] },
    { why: 'a platform without a token', args: ['--platform-url', 'https://f.example'], faults: ['/platform-url'] },
    { why: 'a token without a platform', args: ['--platform-token-file', '/t'], faults: ['/platform-token-file'] },
    {
      why: 'a token in the clear beyond loopback',
      args: ['--platform-url', 'http://f.example', '--platform-token-file', '/t'],
      faults: ['/platform-url'],
    },
  ]) {
    test(`refused: ${why}`, () => {
      assert.throws(
        () => resolve(args),
        (error) => {
          assert.ok(error instanceof ConfigError);
          assert.deepEqual(
            (error.faults ?? []).map(({ path }) => path),
            faults,
          );
          return true;
        },
      );
    });
  }
});
