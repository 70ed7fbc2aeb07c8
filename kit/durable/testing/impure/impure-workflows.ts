import { defineWorkflow, type Json } from '#kit/durable';
import { contentHash } from '#kit/std';

/** Each workflow uses one forbidden thing. */
export const readsTheClock = defineWorkflow<null, Json>('reads-the-clock', async () => Date.now());

export const makesADate = defineWorkflow<null, Json>('makes-a-date', async () => new Date().toISOString());

export const rollsDice = defineWorkflow<null, Json>('rolls-dice', async () => Math.random());

export const readsTheEnvironment = defineWorkflow<null, Json>(
  'reads-the-environment',
  async () => process.env['HOME'] ?? '',
);

export const waitsByItself = defineWorkflow<null, Json>('waits-by-itself', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  return null;
});

export const goesOut = defineWorkflow<null, Json>('goes-out', async () => (await fetch('http://127.0.0.1:1')).status);

export const hidesIt = defineWorkflow<null, Json>('hides-it', async () => {
  try {
    return globalThis.performance?.now();
  } catch {
    return null;
  }
});

export const usesNode = defineWorkflow<null, Json>('uses-node', async () => contentHash({}));

let runs = 0;

export const remembers = defineWorkflow<null, Json>('remembers', async (ctx) => {
  runs += 1;
  await ctx.sleep(runs);
  return runs;
});

export const isPure = defineWorkflow<null, Json>('is-pure', async (ctx) => {
  await ctx.sleep(10);
  return [new Date(ctx.now()).toISOString(), ctx.random(), ctx.uuid()];
});
