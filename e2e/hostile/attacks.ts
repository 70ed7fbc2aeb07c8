import { approvesOwnContent, removesTheGate } from './12-four-eyes.ts';
import { movesWorkspaceOut } from './13-moved-out.ts';
import { rewritesTheAudit } from './19-rewritten-audit.ts';
import type { Attack } from './attack.ts';

/** All attacks, in the order of their findings. */
export const ATTACKS: readonly Attack[] = [approvesOwnContent, removesTheGate, movesWorkspaceOut, rewritesTheAudit];
