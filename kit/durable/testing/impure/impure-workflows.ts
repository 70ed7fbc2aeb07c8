import type { Payload } from '#kit/durable';
import { defineWorkflow } from '#kit/durable';
import { contentHash } from '#kit/std';

/** Each workflow uses one forbidden thing. */
export const readsTheClock = defineWorkflow<null, Payload>('reads-the-clock', async () => Date.now());

export const makesADate = defineWorkflow<null, Payload>('makes-a-date', async () => new Date().toISOString());

export const rollsDice = defineWorkflow<null, Payload>('rolls-dice', async () => Math.random());

export const readsTheEnvironment = defineWorkflow<null, Payload>(
  'reads-the-environment',
  async () => process.env['HOME'] ?? '',
);

export const waitsByItself = defineWorkflow<null, Payload>('waits-by-itself', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  return null;
});

export const goesOut = defineWorkflow<null, Payload>(
  'goes-out',
  async () => (await fetch('http://127.0.0.1:1')).status,
);

export const hidesIt = defineWorkflow<null, Payload>('hides-it', async () => {
  try {
    return globalThis.performance?.now();
  } catch {
    return null;
  }
});

export const usesNode = defineWorkflow<null, Payload>('uses-node', async () => contentHash({}));

let runs = 0;

export const remembers = defineWorkflow<null, Payload>('remembers', async (ctx) => {
  runs += 1;
  await ctx.sleep(runs);
  return runs;
});

export const isPure = defineWorkflow<null, Payload>('is-pure', async (ctx) => {
  await ctx.sleep(10);
  return [new Date(ctx.now()).toISOString(), ctx.random(), ctx.uuid()];
});
