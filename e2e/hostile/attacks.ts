import { exhaustRevisions, stopPresence, stopStatuses } from './03-status-of-one-fleetlet.ts';
import { endlessTexts } from './15-endless-texts.ts';
import type { Attack } from './attack.ts';

/** All attacks, in the order of their findings. */
export const ATTACKS: readonly Attack[] = [stopStatuses, stopPresence, exhaustRevisions, endlessTexts];
