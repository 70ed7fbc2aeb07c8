import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { Tenure } from './tenure.ts';
import { FencedOut } from './turn-writer.ts';

type Step =
  | { readonly taken: number }
  | { readonly read: number | undefined }
  | { readonly fails: unknown }
  | { readonly passMs: number };

const fault = new Error('the database is away');

/** What was announced, with a lease of 3 s. */
async function factsOf(steps: readonly Step[]): Promise<string[]> {
  const facts: string[] = [];
  const clock = new FakeClock();
  const tenure = new Tenure({ clock, leaseMs: 3_000, onFact: ({ kind }) => facts.push(kind) });
  for (const step of steps) {
    if ('taken' in step) tenure.taken(step.taken);
    else if ('read' in step) tenure.read(step.read);
    else if ('fails' in step) tenure.interrupted(step.fails);
    else await clock.advance(step.passMs);
  }
  return facts;
}

describe('the tenure of an executor', () => {
  for (const { why, steps, facts } of [
    {
      why: 'lasts while the lease can be read and is its own, however long it cannot be written',
      steps: [{ taken: 1 }, { fails: fault }, { passMs: 2_900 }, { read: 1 }, { passMs: 2_900 }, { fails: fault }],
      facts: ['leading'],
    },
    {
      why: 'ends with the lease of another process',
      steps: [{ taken: 1 }, { fails: fault }, { read: 2 }, { read: 2 }],
      facts: ['leading', 'standing-by'],
    },
    {
      why: 'ends at once when a write was refused for the lease of another process',
      steps: [{ taken: 1 }, { fails: new FencedOut() }],
      facts: ['leading', 'standing-by'],
    },
    {
      why: 'ends when the lease could not be read for as long as it lasts',
      steps: [{ taken: 1 }, { fails: fault }, { passMs: 3_000 }, { fails: fault }],
      facts: ['leading', 'standing-by'],
    },
    {
      why: 'is counted from the first fault of each lease',
      steps: [{ taken: 1 }, { fails: fault }, { passMs: 9_000 }, { taken: 2 }, { fails: fault }],
      facts: ['leading', 'leading'],
    },
    { why: 'is not lost by a process that never had it', steps: [{ read: 7 }, { fails: fault }], facts: [] },
  ] satisfies { why: string; steps: Step[]; facts: string[] }[]) {
    it(why, async () => assert.deepEqual(await factsOf(steps), facts));
  }
});
