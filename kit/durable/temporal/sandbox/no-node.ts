/** What kit/std imports from Node, for workflows, which have no use for it. */
export const hash = unavailable;
export const randomBytes = unavailable;
export const setTimeout = unavailable;
export const timingSafeEqual = unavailable;

function unavailable(): never {
  throw new Error('a workflow has nothing of Node: it touches its input and ctx, and leaves the rest to activities');
}
