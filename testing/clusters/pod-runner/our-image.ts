/** A reference to an image called `fleetshift`, wherever it is kept and of whatever tag or digest. */
export const OUR_IMAGE = '(^|/)fleetshift([:@][^/]*)?$';

const PATTERN = new RegExp(OUR_IMAGE);
/** A version that ends at its start, for tests of those that are bad. */
const BROKEN = /:broken(@|$)/;

export function isOurImage(image: string): boolean {
  return PATTERN.test(image);
}

export function isBroken(image: string): boolean {
  return BROKEN.test(image);
}
