import { after, before, describe } from 'node:test';
import { activitiesContract } from './contract/activities.ts';
import { cancellingContract } from './contract/cancelling.ts';
import { chanceContract } from './contract/chance.ts';
import { continuingContract } from './contract/continuing.ts';
import { familiesContract } from './contract/families.ts';
import { inspectingContract } from './contract/inspecting.ts';
import { limitsContract } from './contract/limits.ts';
import { pausingContract } from './contract/pausing.ts';
import { queriesContract } from './contract/queries.ts';
import { signalWithStartContract } from './contract/signal-with-start.ts';
import { signalsContract } from './contract/signals.ts';
import { skewContract } from './contract/skew.ts';
import { Stage } from './contract/stage.ts';
import { startingContract } from './contract/starting.ts';
import { timersContract } from './contract/timers.ts';
import type { EngineHarness, EngineTraits } from './engine-harness.ts';

const TOPICS: Readonly<Record<string, (stage: Stage, traits: EngineTraits) => void>> = {
  starting: startingContract,
  activities: activitiesContract,
  timers: timersContract,
  signals: signalsContract,
  'signal with start': signalWithStartContract,
  queries: queriesContract,
  cancelling: cancellingContract,
  pausing: pausingContract,
  'fan-out and children': familiesContract,
  continueAsNew: continuingContract,
  'time, chance and ids': chanceContract,
  limits: limitsContract,
  inspecting: inspectingContract,
  'changed code': skewContract,
};

/** Tests every guarantee of the port on one engine. The tests of a suite share its data, and run one after another. */
export function durableContract(name: string, traits: EngineTraits, openHarness: () => Promise<EngineHarness>): void {
  describe(`durable execution on ${name}`, () => {
    const stage = new Stage();
    before(async () => stage.enter(await openHarness()));
    after(() => stage.leave());
    for (const [topic, contract] of Object.entries(TOPICS)) describe(topic, () => contract(stage, traits));
  });
}
