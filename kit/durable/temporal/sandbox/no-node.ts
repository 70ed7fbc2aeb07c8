/** Stand-ins for what kit/std imports from Node; workflows must not call them. */
export const hash = unavailable;
export const randomBytes = unavailable;
export const setTimeout = unavailable;
export const timingSafeEqual = unavailable;

function unavailable(): never {
  throw new Error('a workflow has nothing of Node: it touches its input and ctx, and leaves the rest to activities');
}
