/** So many at a time, in order. The first that throws ends it, once those under way have ended. */
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
