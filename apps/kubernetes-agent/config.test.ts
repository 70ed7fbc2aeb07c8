import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ConfigError } from '#kit/config';
import { resolveKubernetesAgentConfig, wantedClusters } from './config.ts';

function resolve(args: readonly string[], environment: Record<string, string> = {}) {
  return resolveKubernetesAgentConfig({ args, environment, readText: () => '' }).values;
}

const FILE = ['--kubeconfig', 'k'];

suite('settings of the Kubernetes agent', () => {
  test('in a Pod nothing is needed', () => {
    const config = resolve([]);
    assert.deepEqual([wantedClusters(config), config.agentNamespace], [[], 'fleetshift-system']);
    assert.deepEqual(wantedClusters(resolve(['--target', 'web'])), [{ name: 'web', context: undefined }]);
  });

  test('targets and contexts of a kubeconfig', () => {
    const config = resolve([...FILE, '--target', 'web=admin@web.example=x', '--context', 'east', '--context', 'west']);
    assert.deepEqual(wantedClusters(config), [
      { name: 'web', context: 'admin@web.example=x' },
      { name: 'east', context: 'east' },
      { name: 'west', context: 'west' },
    ]);
  });

  test('what the client calls a context is none here', () => {
    assert.deepEqual(resolve([...FILE], { FLEETSHIFT_CONTEXT: 'prod' }).context, []);
    assert.deepEqual(resolve([...FILE], { FLEETSHIFT_KUBE_CONTEXT: 'prod' }).context, ['prod']);
  });

  for (const { why, args, fault } of [
    { why: 'a context without a kubeconfig', args: ['--context', 'a'], fault: '/context' },
    { why: 'a target of a context without a kubeconfig', args: ['--target', 'a=b'], fault: '/target' },
    { why: 'two targets of one Pod', args: ['--target', 'a,b'], fault: '/target' },
    { why: 'a target without its context', args: [...FILE, '--target', 'a'], fault: '/target' },
    { why: 'a target twice', args: [...FILE, '--target', 'a=b', '--context', 'a'], fault: '/target' },
    { why: 'a context twice', args: [...FILE, '--target', 'a=b', '--target', 'c=b'], fault: '/target' },
    { why: 'a context that is no name', args: [...FILE, '--context', 'admin@web'], fault: '/context' },
    { why: 'a name that is none', args: [...FILE, '--target', 'Web=a'], fault: '/target' },
    { why: 'a target without anything', args: [...FILE, '--target', 'web='], fault: '/target' },
    { why: 'TCP without a token', args: ['--fleetlet', '127.0.0.1:1'], fault: '/fleetlet' },
  ]) {
    test(`refused: ${why}`, () => {
      assert.throws(
        () => resolve(args),
        (error) => error instanceof ConfigError && error.faults.some(({ path }) => path === fault),
      );
    });
  }
});
