import assert from 'node:assert/strict';
import type { Cleaner } from '#testing/clusters';
import { describeJudgement, differences, judge } from './compare.ts';
import { INTENDED_DIFFERENCES } from './intended-differences.ts';
import { MANAGERS } from './managers.ts';
import { playAll } from './play-all.ts';
import type { Scenario } from './scenario.ts';
import { Side } from './side.ts';

export interface CompareOptions {
  readonly scenarios: readonly Scenario[];
  /** Called with the number of finished scenarios. */
  readonly progress: (done: number) => void;
}

/**
 * Plays the scenarios with Cluster API's manager and with ours. Throws unless both satisfy all of them and differ exactly
 * in the intended ways. Where Cluster API's manager is not available, ours plays alone.
 */
export async function compareManagers({ scenarios, progress }: CompareOptions, signal: AbortSignal): Promise<void> {
  const cleanups: (() => Promise<void> | void)[] = [];
  const t: Cleaner = { after: (clean) => void cleanups.push(clean) };
  try {
    const sides = await openSides(t, signal);
    let done = 0;
    const played = await playAll({ sides, scenarios, played: () => progress((done += 1)) }, signal);
    if (sides.length < MANAGERS.length) return;
    const found = played.flatMap(({ scenario, courses: { upstream = {}, ours = {} } }) =>
      differences(scenario.name, upstream, ours),
    );
    const judgement = judge(
      found,
      INTENDED_DIFFERENCES,
      played.map(({ scenario }) => scenario.name),
    );
    const isGood = judgement.unintended.length === 0 && judgement.missing.length === 0;
    assert.ok(isGood, `the managers differ otherwise than intended:\n${describeJudgement(judgement)}`);
  } finally {
    for (const clean of cleanups.toReversed()) await clean();
  }
}

/** Opens both at once. A failure is thrown only after both have settled, so that the other side can be closed. */
async function openSides(t: Cleaner, signal: AbortSignal): Promise<readonly Side[]> {
  const opened = await Promise.allSettled(MANAGERS.map((kind) => Side.open(t, kind, signal)));
  return opened.flatMap((side) => {
    if (side.status === 'rejected') throw side.reason;
    return side.value ?? [];
  });
}
