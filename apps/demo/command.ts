import type { DemoOptions } from './run-demo.ts';

export type { DemoPlace } from './run-demo.ts';

/** Runs until the signal aborts. Loaded on demand: help and invalid settings need none of it. */
export async function runDemo(options: DemoOptions, signal: AbortSignal): Promise<void> {
  const demo = await import('./run-demo.ts');
  await demo.runDemo(options, signal);
}
