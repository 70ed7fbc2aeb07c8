import { quadraticYaml } from './05-quadratic-yaml.ts';
import { costlyHealthRule } from './06-health-rule-cost.ts';
import type { Attack } from './attack.ts';

/** All attacks, in the order of their findings. */
export const ATTACKS: readonly Attack[] = [quadraticYaml, costlyHealthRule];
