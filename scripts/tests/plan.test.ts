import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { KINDS, NEEDS, type TestFile } from './needs.ts';
import { planJobs } from './plan.ts';

function unit(file: string): TestFile {
  return { file, kind: 'unit', needs: [], isLong: false, ownProcess: false };
}

const anyFile = fc.record({
  kind: fc.constantFrom(...KINDS),
  needs: fc.uniqueArray(fc.constantFrom(...NEEDS)),
  isLong: fc.boolean(),
  ownProcess: fc.boolean(),
});

describe('the plan of a run', () => {
  it('has every file once, in a process of its own where it asks for one', () => {
    fc.assert(
      fc.property(fc.array(anyFile), fc.array(fc.nat(20_000)), (shapes, ms) => {
        const files: TestFile[] = shapes.map((shape, index) => ({ ...shape, file: `${index}.test.ts` }));
        const jobs = planJobs(files, (file) => ms[Number.parseInt(file, 10)]);
        const planned = jobs.flatMap((job) => job.files.map(({ file }) => file));
        assert.deepEqual(planned.toSorted(), files.map(({ file }) => file).toSorted());
        for (const job of jobs) {
          assert.ok(job.files.length === 1 || job.files.every(({ ownProcess }) => !ownProcess));
          for (const file of job.files) assert.ok(file.needs.every((need) => job.needs.includes(need)));
        }
      }),
    );
  });

  it('begins with what needs no server, then takes the longest', () => {
    const files: TestFile[] = [
      { file: 'a', kind: 'postgres', needs: ['postgres'], isLong: false, ownProcess: true },
      { file: 'b', kind: 'clusters', needs: ['apiserver'], isLong: false, ownProcess: true },
      unit('c'),
    ];
    const ms: Record<string, number> = { a: 10, b: 20, c: 1 };
    const order = planJobs(files, (file) => ms[file]).map((job) => job.files[0]?.file);
    assert.deepEqual(order, ['c', 'b', 'a']);
  });

  it('shares processes by time, so that a slow file does not hold many', () => {
    const ms: Record<string, number> = { slow: 7_900, next: 200, last: 200 };
    const jobs = planJobs([unit('slow'), unit('next'), unit('last')], (file) => ms[file]);
    assert.deepEqual(
      jobs.map((job) => job.files.map(({ file }) => file)),
      [['slow'], ['next', 'last']],
    );
  });
});
