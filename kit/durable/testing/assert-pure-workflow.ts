import assert from 'node:assert/strict';
import type { Payload } from '#kit/durable';
import { DryContext, type DryWorld } from './pure/dry-context.ts';
import { type LoadedWorkflow, loadWorkflow } from './pure/load-workflow.ts';

export interface PureWorkflow extends DryWorld {
  /** The module that exports it. */
  readonly module: URL;
  /** The name that it was defined with. */
  readonly workflow: string;
  readonly input: Payload;
}

/**
 * Runs a workflow's body where there is no I/O, clock or chance, with activities, signals and children that answer as told:
 * whatever it touches but its input and `ctx` makes this reject with an error that names it. Run twice on the same answers,
 * the body must ask for the same steps. What it returned, or how it failed.
 */
export async function assertPureWorkflow(subject: PureWorkflow): Promise<DryOutcome> {
  const loaded = await loadWorkflow(subject.module, subject.workflow);
  const [first, second] = [await runDry(subject, loaded), await runDry(subject, loaded)];
  assert.deepEqual(second, first, `${subject.workflow} does not do the same when it is run again on the same answers`);
  return first.outcome;
}

export type DryOutcome =
  | { readonly kind: 'returned'; readonly value: Payload | undefined }
  | { readonly kind: 'continued'; readonly input: Payload }
  | { readonly kind: 'threw'; readonly error: string };

async function runDry(subject: PureWorkflow, { workflow, errors, sins }: LoadedWorkflow) {
  const ctx = new DryContext(subject, errors);
  const outcome = await workflow.run(ctx, structuredClone(subject.input)).then(
    (value): DryOutcome => ({ kind: 'returned', value }),
    (error: unknown): DryOutcome =>
      ctx.continuedWith === undefined
        ? { kind: 'threw', error: String(error) }
        : { kind: 'continued', input: ctx.continuedWith },
  );
  // A body that catches everything would keep it to itself.
  assert.deepEqual(sins, [], `${subject.workflow} touched something besides its input and ctx`);
  // What comes from the body's own realm has other prototypes.
  return JSON.parse(JSON.stringify({ outcome, asked: ctx.asked })) as { outcome: DryOutcome; asked: Payload };
}
