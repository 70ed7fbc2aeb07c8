import { largeFirstFrames, silentHandshakes, silentStreams, slowBodies } from './08-before-authentication.ts';
import { wrongTokens } from './16-wrong-tokens.ts';
import { backToPlainHttp } from './22-plain-http.ts';
import type { Attack } from './attack.ts';

/** All attacks, in the order of their findings. */
export const ATTACKS: readonly Attack[] = [
  silentStreams,
  largeFirstFrames,
  silentHandshakes,
  slowBodies,
  wrongTokens,
  backToPlainHttp,
];
