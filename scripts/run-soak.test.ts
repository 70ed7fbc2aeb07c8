import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eachCase, type Soak } from '#testing/soak';
import { runSoak } from './run-soak.ts';

const SIGNAL = new AbortController().signal;

describe('runSoak', () => {
  it('runs as many cases as asked for, each with a seed of its own', async () => {
    const seeds: number[] = [];
    const { passed } = await run(soakOf(async (seed) => void seeds.push(seed)));
    assert.equal(passed, true);
    assert.deepEqual(seeds, [40, 41, 42]);
  });

  it('ends with the command that shows the wrong case alone', async () => {
    const { passed, lines } = await run(
      soakOf(async (seed) => {
        if (seed === 41) throw new Error('lost a write');
      }),
    );
    assert.equal(passed, false);
    assert.match(lines.join('\n'), /lost a write[^]*not passed after 1 of 3/);
    assert.equal(lines.at(-1), '  npm run soak -- example --count 1 --seed 41');
  });

  it('repeats the whole of a suite that cannot name the wrong case', async () => {
    const { lines } = await run({
      description: 'breaks as a whole',
      defaultCount: 1,
      run: () => Promise.reject(new Error('boom')),
    });
    assert.equal(lines.at(-1), '  npm run soak -- example --count 3 --seed 40');
  });

  it('stops between cases when told', async () => {
    const stop = new AbortController();
    const seeds: number[] = [];
    const soak = soakOf(async (seed) => {
      seeds.push(seed);
      stop.abort();
    });
    const { passed } = await run(soak, stop.signal);
    assert.equal(passed, false);
    assert.deepEqual(seeds, [40]);
  });
});

function soakOf(runCase: (seed: number) => Promise<void>): Soak {
  return {
    description: 'an example',
    defaultCount: 1,
    run: (options) => eachCase(options, ({ seed }) => runCase(seed)),
  };
}

async function run(soak: Soak, signal = SIGNAL): Promise<{ passed: boolean; lines: string[] }> {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  const passed = await runSoak({ name: 'example', soak, count: 3, seed: 40, print }, signal);
  return { passed, lines };
}
