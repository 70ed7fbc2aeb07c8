import { defineActivity } from '#kit/durable';
import type { ControlAnswer } from '../../application/groups/group-controller.ts';

/** A storage outage must not fail a group: the activity is retried until it succeeds. */
const PATIENT = { attempts: 1_000_000, backoff: { baseMs: 200, capMs: 15_000 } };

/** Looks at the group once, and acts on it. */
export const controlGroup = defineActivity<{ readonly group: string; readonly run: number }, ControlAnswer>(
  'control-group',
  { retry: PATIENT },
);
