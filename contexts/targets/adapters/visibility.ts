import type { Principal } from '#kit/http';
import type { VisibleSet } from '../application/ports.ts';

/** What somebody may see with a permission. What he may not see does not exist for him. */
export interface Visibility {
  of(principal: Principal, permission: string): VisibleSet;
}
