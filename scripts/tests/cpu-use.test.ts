import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ProcessTimes, timesByProgram } from './cpu-use.ts';

const runner: ProcessTimes = { pid: 1, parent: 0, program: 'test.ts', ownMs: 10, endedMs: 0 };

describe('CPU time by program', () => {
  for (const { why, processes, expected } of [
    { why: 'a process that still runs counts once', processes: [runner], expected: { 'test.ts': 10 } },
    {
      why: 'processes of one program are added',
      processes: [runner, { ...runner, pid: 2, parent: 1, ownMs: 5 }],
      expected: { 'test.ts': 15 },
    },
    {
      why: 'a child that was seen counts for its own program only',
      processes: [
        { ...runner, endedMs: 80 },
        { pid: 2, parent: 1, program: 'etcd', ownMs: 80, endedMs: 0 },
      ],
      expected: { 'test.ts': 10, etcd: 80 },
    },
    {
      why: 'children that ended unseen count for the program that started them',
      processes: [
        { ...runner, endedMs: 80 },
        { pid: 2, parent: 1, program: 'etcd', ownMs: 50, endedMs: 0 },
      ],
      expected: { 'test.ts': 10, etcd: 50, 'programs of test.ts': 30 },
    },
    {
      why: 'the connections of Postgres are Postgres',
      processes: [{ pid: 2, parent: 1, program: 'postgres', ownMs: 1, endedMs: 9 }],
      expected: { postgres: 10 },
    },
    {
      why: 'a child that still runs is not in the time of ended ones',
      processes: [runner, { pid: 2, parent: 1, program: 'etcd', ownMs: 80, endedMs: 0 }],
      expected: { 'test.ts': 10, etcd: 80 },
    },
  ]) {
    it(why, () => assert.deepEqual(timesByProgram(processes), expected));
  }
});
