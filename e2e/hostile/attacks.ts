import { revokedStreams } from './07-revoked-streams.ts';
import { undoneLogout } from './11-undone-logout.ts';
import type { Attack } from './attack.ts';

/** All attacks, in the order of their findings. */
export const ATTACKS: readonly Attack[] = [revokedStreams, undoneLogout];
