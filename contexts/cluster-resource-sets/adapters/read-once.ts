/** Cached objects never change, so each is converted only once. */
export function readOnce<T extends object, U>(read: (object: T) => U): (object: T) => U {
  const known = new WeakMap<T, U>();
  return (object) => {
    const before = known.get(object);
    if (before !== undefined) return before;
    const now = read(object);
    known.set(object, now);
    return now;
  };
}
