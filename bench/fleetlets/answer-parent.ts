import { setTimeout as pause } from 'node:timers/promises';

interface Question {
  readonly id: number;
  readonly what: string;
  readonly order: unknown;
}

export type Deeds = Readonly<Record<string, (order: never) => unknown>>;

/** Does what `Child` asks for. */
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

/** Twice, since what has a finalizer goes with the second; and a moment for the allocator to give pages back. */
async function collect(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    globalThis.gc?.();
    await pause(100);
  }
}
