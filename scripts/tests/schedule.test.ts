import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Need } from './needs.ts';
import type { Job } from './plan.ts';
import { schedule } from './schedule.ts';

function job(file: string, ...needs: Need[]): Job {
  return { files: [{ file, kind: 'unit', needs, isLong: false, ownProcess: true }], needs, expectedMs: 1 };
}

function nameOf({ files }: Job): string {
  return files[0]?.file ?? '';
}

describe('the schedule of a run', () => {
  it('runs what is ready while servers for others are made, and no more at once than there are slots', async () => {
    const server = Promise.withResolvers<void>();
    const begun: string[] = [];
    let running = 0;
    let most = 0;
    const jobs = [job('first', 'temporal'), job('second'), job('third'), job('fourth', 'temporal')];
    await schedule(jobs, {
      slots: 2,
      ready: () => server.promise,
      run: async (next) => {
        begun.push(nameOf(next));
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
        if (nameOf(next) === 'third') server.resolve();
      },
    });
    assert.deepEqual(begun, ['second', 'third', 'first', 'fourth']);
    assert.equal(most, 2);
  });

  it('fails when a server cannot be made', async () => {
    const run = async (): Promise<void> => {};
    const ready = async (): Promise<void> => {
      throw new Error('no room');
    };
    await assert.rejects(schedule([job('a', 'postgres')], { slots: 1, ready, run }), /no room/);
  });
});
