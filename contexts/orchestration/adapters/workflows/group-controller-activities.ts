import { defineActivity } from '#kit/durable';

/** Storage that is away for a while must not fail a group: it is tried until it works. */
const PATIENT = { attempts: 1_000_000, backoff: { baseMs: 200, capMs: 15_000 } };

/** `again`: there is more to do at once. `wait`: until that time, or until there is news. `rest`: the run is over. */
type ControlAnswer =
  | { readonly kind: 'again' }
  | { readonly kind: 'wait'; readonly until: number | null }
  | { readonly kind: 'rest' };

/** One look at the group, and what follows from it. */
export const controlGroup = defineActivity<{ readonly group: string; readonly run: number }, ControlAnswer>(
  'control-group',
  { retry: PATIENT },
);
