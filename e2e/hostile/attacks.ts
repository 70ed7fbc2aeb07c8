import { crossedAnswers, smuggledRequest } from './01-smuggled-request.ts';
import { unrecordedSecretReads } from './17-secret-reads.ts';
import { dotSegments } from './22-dot-segments.ts';
import type { Attack } from './attack.ts';

/** All attacks, in the order of their findings. */
export const ATTACKS: readonly Attack[] = [smuggledRequest, crossedAnswers, unrecordedSecretReads, dotSegments];
import { quadraticYaml } from './05-quadratic-yaml.ts';
import { costlyHealthRule } from './06-health-rule-cost.ts';
import type { Attack } from './attack.ts';

/** All attacks, in the order of their findings. */
export const ATTACKS: readonly Attack[] = [quadraticYaml, costlyHealthRule];
