import type { Scenario } from './scenario.ts';
import { ACCESS_SCENARIOS } from './scenarios/access-scenarios.ts';
import { FAILING_SCENARIOS } from './scenarios/failing-scenarios.ts';
import { FAITHFUL_SCENARIOS } from './scenarios/faithful-scenarios.ts';
import { HONEST_SCENARIOS } from './scenarios/honest-scenarios.ts';
import { UPSTREAM_SCENARIOS } from './scenarios/upstream-scenarios.ts';

export const SCENARIOS: readonly Scenario[] = [
  ...UPSTREAM_SCENARIOS,
  ...HONEST_SCENARIOS,
  ...FAITHFUL_SCENARIOS,
  ...FAILING_SCENARIOS,
  ...ACCESS_SCENARIOS,
];
