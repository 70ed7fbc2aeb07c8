/** A reference to an image called `fleetshift`, wherever it is kept and of whatever tag or digest. */
export const OUR_IMAGE = '(^|/)fleetshift([:@][^/]*)?$';

const PATTERN = new RegExp(OUR_IMAGE);

export function isOurImage(image: string): boolean {
  return PATTERN.test(image);
}
