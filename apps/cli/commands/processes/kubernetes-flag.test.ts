import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { UsageError } from '../../command.ts';
import { kubernetesFlag } from './demo.ts';

suite('--kubernetes', () => {
  for (const { args, count, rest } of [
    { args: ['--data', 'x'], count: 0, rest: ['--data', 'x'] },
    { args: ['--kubernetes'], count: 2, rest: [] },
    { args: ['--kubernetes', '--data', 'x'], count: 2, rest: ['--data', 'x'] },
    {
      args: ['--data', 'x', '--kubernetes', '3', '--log-level', 'warn'],
      count: 3,
      rest: ['--data', 'x', '--log-level', 'warn'],
    },
    { args: ['--kubernetes=1'], count: 1, rest: [] },
  ]) {
    test(`of "${args.join(' ')}" is ${count}`, () => {
      assert.deepEqual(kubernetesFlag(args), { count, rest });
    });
  }

  for (const args of [['--kubernetes=0'], ['--kubernetes', 'many'], ['--kubernetes='], ['--kubernetes', '12']]) {
    test(`"${args.join(' ')}" is refused`, () => {
      assert.throws(() => kubernetesFlag(args), UsageError);
    });
  }
});
