import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ConfigError } from '#kit/config';
import { resolveFleetletWithConfig } from './config.ts';

const HERE = ['--platform', 'https://fleet.example'];

function resolve(args: readonly string[]) {
  return resolveFleetletWithConfig({ args: [...HERE, ...args], environment: {}, readText: () => '' }).values;
}

suite('settings of a fleetlet with an agent', () => {
  test('a fleetlet alone is what it was', () => {
    assert.deepEqual(resolve([]).with, []);
  });

  test('Pods are known by their tokens, and need no file', () => {
    const config = resolve(['--with', 'kubernetes', '--listen-tcp', '127.0.0.1:0']);
    assert.deepEqual([config.with, config.podTokenAudience], [['kubernetes'], ['fleetlet']]);
  });

  for (const { why, args, fault } of [
    { why: 'TCP for everybody', args: ['--listen-tcp', '127.0.0.1:0'], fault: '/listen-tcp' },
    {
      why: 'TCP in the clear',
      args: ['--with', 'kubernetes', '--listen-tcp', '10.0.0.1:1'],
      fault: '/listen-tcp',
    },
    {
      why: 'two clusters of one Pod',
      args: ['--with', 'kubernetes', '--target', 'a=kubernetes,b=kubernetes'],
      fault: '/target',
    },
    { why: 'somebody who is not known', args: ['--with', 'nomad'], fault: '/with' },
  ]) {
    test(`refused: ${why}`, () => {
      assert.throws(
        () => resolve(args),
        (error) => error instanceof ConfigError && error.faults.some(({ path }) => path === fault),
      );
    });
  }
});
