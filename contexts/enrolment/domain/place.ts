import type { ResourceName } from '#kit/std';

/** A workspace and its path: `/root/emea/web/`. */
export interface Place {
  readonly name: ResourceName;
  readonly path: string;
}

/** Also true for the place itself. */
export function isBelow(place: Pick<Place, 'path'>, top: Pick<Place, 'path'>): boolean {
  return place.path.startsWith(top.path);
}
