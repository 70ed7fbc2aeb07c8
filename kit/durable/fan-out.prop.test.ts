import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fanOut, type KeyOutcome } from './fan-out.ts';

interface Run {
  /** Whether the body of each key fails. */
  readonly bodies: readonly boolean[];
  readonly concurrency: number;
  /** Which of the running bodies ends next, as a fraction of them: determines the order of completion. */
  readonly picks: readonly number[];
}

const anyRun: fc.Arbitrary<Run> = fc.array(fc.boolean(), { maxLength: 40 }).chain((bodies) =>
  fc.record({
    bodies: fc.constant(bodies),
    concurrency: fc.integer({ min: 1, max: 12 }),
    picks: fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
      minLength: bodies.length,
      maxLength: bodies.length,
    }),
  }),
);

/** Runs the fan-out with bodies that end one at a time, in the order of the picks. */
async function observe({ bodies, concurrency, picks }: Run) {
  const keys = bodies.map((_, key) => key);
  const underWay: { readonly key: number; end(): void }[] = [];
  const asked: number[] = [];
  let most = 0;
  const body = (key: number): Promise<string> =>
    new Promise((resolve, reject) => {
      asked.push(key);
      const end = (): void => (bodies[key] ? reject(new Error(`bad ${key}`)) : resolve(`good ${key}`));
      underWay.push({ key, end });
      most = Math.max(most, underWay.length);
    });
  const running = fanOut(keys, { concurrency }, body);
  for (const pick of picks) {
    await settled();
    underWay.splice(Math.floor(pick * underWay.length), 1)[0]?.end();
  }
  return { keys, asked, most, outcomes: await running };
}

/** Microtasks only, since workflows have nothing else: enough of them to settle every promise that can. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

describe('fanOut', () => {
  it('asks for every key once, in order, and tells every outcome, in order', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (run) => {
        const { keys, asked, outcomes } = await observe(run);
        assert.deepEqual(asked, keys);
        assert.deepEqual(
          outcomes.map(toText),
          run.bodies.map((fails, key) => `${key} ${fails ? 'bad' : 'good'} ${key}`),
        );
      }),
    );
  });

  it('has as many under way as it may, and never more', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (run) => {
        const { most } = await observe(run);
        assert.equal(most, Math.min(run.concurrency, run.bodies.length));
      }),
    );
  });

  it('refuses a concurrency that gets nowhere', async () => {
    for (const concurrency of [0, -1, 1.5, Number.NaN]) {
      await assert.rejects(
        fanOut([1], { concurrency }, async () => 1),
        RangeError,
      );
    }
  });

  it('takes a body that throws at once for one that fails', async () => {
    const outcomes = await fanOut([1, 2], { concurrency: 1 }, (key) => {
      if (key === 1) throw new Error('bad 1');
      return Promise.resolve('good 2');
    });
    assert.deepEqual(outcomes.map(toText), ['1 bad 1', '2 good 2']);
  });
});

function toText(outcome: KeyOutcome<number, string>): string {
  const { key } = outcome;
  return `${key} ${outcome.kind === 'done' ? outcome.value : (outcome.error as Error).message}`;
}
