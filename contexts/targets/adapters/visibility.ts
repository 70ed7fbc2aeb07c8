import type { Principal } from '#kit/http';
import type { VisibleSet } from '../application/ports.ts';

/** The targets that a principal may see with a permission. A target they may not see looks like one that does not exist. */
export interface Visibility {
  of(principal: Principal, permission: string): VisibleSet;
}
