/** Matches an image named `fleetshift` in any registry, with any tag or digest. */
export const OUR_IMAGE = '(^|/)fleetshift([:@][^/]*)?$';

const PATTERN = new RegExp(OUR_IMAGE);
/** A version that exits at startup, for tests of bad versions. */
const BROKEN = /:broken(@|$)/;

export function isOurImage(image: string): boolean {
  return PATTERN.test(image);
}

export function isBroken(image: string): boolean {
  return BROKEN.test(image);
}
