import { defineActivity } from '#kit/durable';
import type { ControlAnswer } from '../../application/groups/group-controller.ts';

/** Storage that is away for a while must not fail a group: it is tried until it works. */
const PATIENT = { attempts: 1_000_000, backoff: { baseMs: 200, capMs: 15_000 } };

/** One look at the group, and what follows from it. */
export const controlGroup = defineActivity<{ readonly group: string; readonly run: number }, ControlAnswer>(
  'control-group',
  { retry: PATIENT },
);
