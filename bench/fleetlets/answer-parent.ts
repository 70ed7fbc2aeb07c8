import { setTimeout as pause } from 'node:timers/promises';

interface Question {
  readonly id: number;
  readonly what: string;
  readonly order: unknown;
}

export type Deeds = Readonly<Record<string, (order: never) => unknown>>;

/** Executes the requests of `Child`. */
export function answerParent(deeds: Deeds): void {
  const all: Deeds = { collect, ...deeds };
  process.on('message', ({ id, what, order }: Question) => {
    const done = Promise.try(() => {
      const deed = all[what];
      if (deed === undefined) throw new Error(`nobody here can ${what}`);
      return deed(order as never);
    });
    done.then(
      (value) => process.send?.({ id, value }),
      (error: unknown) => process.send?.({ id, error: error instanceof Error ? error.stack : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
}

/** Collects twice, since objects with finalizers go in the second collection; then waits for the allocator to return pages. */
async function collect(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    globalThis.gc?.();
    await pause(100);
  }
}
