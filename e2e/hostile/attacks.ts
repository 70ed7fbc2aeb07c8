import { harvestedToken } from './02-harvested-token.ts';
import { quotedAnswer, reachedInside } from './10-server-side-requests.ts';
import { namedTarget, unseenGuess } from './21-existence-oracles.ts';
import { tokenElsewhere } from './23-token-elsewhere.ts';
import type { Attack } from './attack.ts';

/** All attacks, in the order of their findings. */
export const ATTACKS: readonly Attack[] = [
  harvestedToken,
  reachedInside,
  quotedAnswer,
  unseenGuess,
  namedTarget,
  tokenElsewhere,
];
