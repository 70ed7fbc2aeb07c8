import fc from 'fast-check';
import type { RolloutSpec } from '../../domain/rollout/rollout-strategy.ts';
import type { Death } from './mortal-storage.ts';
import type { Script } from './scripted-fleet.ts';

const TIERS = ['canary', 'prod'] as const;

export interface SimulatedTarget {
  readonly tier: (typeof TIERS)[number];
  readonly isOnline: boolean;
  readonly script: Script;
}

/** What happens next. Numbers choose among the targets that there are. */
export type Incident =
  | { readonly do: 'patch'; readonly isNew: boolean; readonly rollout: RolloutSpec }
  /** The process dies, and the next one starts later. */
  | { readonly do: 'crash'; readonly death: Death; readonly downMs: number }
  | { readonly do: 'connect'; readonly which: number; readonly isOnline: boolean }
  | { readonly do: 'script'; readonly which: number; readonly script: Script }
  | { readonly do: 'rebuild'; readonly which: number }
  | { readonly do: 'join'; readonly target: SimulatedTarget }
  /** It is no longer selected, and may be again. */
  | { readonly do: 'select'; readonly which: number; readonly isSelected: boolean }
  | { readonly do: 'vanish'; readonly which: number }
  | { readonly do: 'pause'; readonly isPaused: boolean }
  | { readonly do: 'command'; readonly command: 'abort' | 'replan' | 'retry' | 'rollback' }
  | { readonly do: 'answer'; readonly isApproved: boolean }
  | { readonly do: 'pass'; readonly ms: number };

export interface Schedule {
  readonly fleet: readonly SimulatedTarget[];
  readonly rollout: RolloutSpec;
  readonly incidents: readonly Incident[];
  /** The process dies once more on the way to the last requested state. */
  readonly lastDeath: Death | undefined;
}

const which = fc.nat(7);
const seconds = (most: number) => fc.integer({ min: 1, max: most }).map((n) => n * 1_000);

const gate = fc.oneof(
  fc.constant({ type: 'approval' }),
  fc.integer({ min: 1, max: 20 }).map((n) => ({ type: 'wait', duration: `${n}s` })),
  fc.integer({ min: 1, max: 5 }).map((n) => ({ type: 'health', stableDuration: `${n}s` })),
);

const common = {
  progressDeadline: fc.constantFrom('5s', '30s'),
  offlinePolicy: fc.constantFrom('wait' as const, 'skip' as const),
  onCollision: fc.constantFrom('supersede' as const, 'supersede' as const, 'queue' as const),
  maxFailures: fc.constantFrom(0, 1, '100%'),
  failurePolicy: fc.constantFrom('pause' as const, 'pause' as const, 'rollback' as const),
  maxRemoval: fc.constant('100%'),
};

const removal = fc.record({
  order: fc.constantFrom('first' as const, 'last' as const),
  beforeTasks: fc.array(gate, { maxLength: 1 }),
});

const stages = fc
  .record({ canary: tasks(), prod: tasks() })
  .map((of) => TIERS.map((tier) => ({ name: tier, selector: { matchLabels: { tier } }, ...of[tier] })));

function tasks() {
  return fc.record({ beforeTasks: fc.array(gate, { maxLength: 1 }), afterTasks: fc.array(gate, { maxLength: 1 }) });
}

const rollout: fc.Arbitrary<RolloutSpec> = fc.oneof(
  fc.record({ ...common, type: fc.constant('immediate') }),
  fc.record({ ...common, removal, type: fc.constant('rolling'), batchSize: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ ...common, removal, type: fc.constant('staged'), stages }),
);

const script: fc.Arbitrary<Script> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.integer({ min: 1, max: 9_000 }).map((latencyMs) => ({ latencyMs })),
  fc.constant({ applying: 'fails' as const }),
  fc.constant({ applying: 'never' as const }),
  fc.constant({ taking: 'rejects' as const }),
  fc.constant({ taking: 'hangs' as const }),
  fc.constant({ taking: 'unheard' as const }),
  fc.integer({ min: 1, max: 6 }).map((throws) => ({ taking: { throws } })),
  fc.constant({ health: 'Degraded' as const }),
  fc.constant({ health: 'Progressing' as const }),
  fc.constant({ health: 'silent' as const }),
);

const target: fc.Arbitrary<SimulatedTarget> = fc.record({
  tier: fc.constantFrom(...TIERS),
  isOnline: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  script,
});

const death: fc.Arbitrary<Death> = fc.oneof(
  fc.record({ operations: fc.nat(150), when: fc.constantFrom('before' as const, 'after' as const) }),
  fc.record({ operations: fc.nat(25), when: fc.constant('committed' as const) }),
);

const crash = fc.record({ do: fc.constant('crash' as const), death, downMs: seconds(40) });

const incident: fc.Arbitrary<Incident> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('patch' as const), isNew: fc.boolean(), rollout }),
  },
  { weight: 4, arbitrary: crash },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('connect' as const), which, isOnline: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('script' as const), which, script }) },
  fc.record({ do: fc.constant('rebuild' as const), which }),
  fc.record({ do: fc.constant('join' as const), target }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('select' as const), which, isSelected: fc.boolean() }) },
  fc.record({ do: fc.constant('vanish' as const), which }),
  fc.record({ do: fc.constant('pause' as const), isPaused: fc.boolean() }),
  fc.record({
    do: fc.constant('command' as const),
    command: fc.constantFrom('abort' as const, 'replan' as const, 'retry' as const, 'rollback' as const),
  }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('answer' as const), isApproved: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.oneof(fc.nat(50), seconds(20)) }) },
);

export const schedule: fc.Arbitrary<Schedule> = fc.record({
  fleet: fc.array(target, { minLength: 1, maxLength: 4 }),
  rollout,
  incidents: fc.array(incident, { maxLength: 10 }),
  lastDeath: fc.option(death, { nil: undefined }),
});
