/** Runs at most `width` at a time, started in order. The first error stops it, after the running ones have ended. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  body: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  let isOver = false;
  const lane = async (): Promise<void> => {
    for (const item of waiting) {
      if (isOver) return;
      try {
        await body(item);
      } catch (error) {
        isOver = true;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: width }, lane));
  const broken = lanes.find((each) => each.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
}
