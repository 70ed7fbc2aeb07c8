import assert from 'node:assert/strict';
import type { Payload } from '#kit/durable';
import { DryContext, type DryWorld } from './pure/dry-context.ts';
import { type LoadedWorkflow, loadWorkflow } from './pure/load-workflow.ts';

export interface PureWorkflow extends DryWorld {
  /** The module that exports the workflow. */
  readonly module: URL;
  /** The name of the workflow. */
  readonly workflow: string;
  readonly input: Payload;
}

/**
 * Runs a workflow's body without I/O, clock or randomness, with activities, signals and children that answer as
 * specified. Rejects with an error that names anything the body uses besides its input and `ctx`. The body runs twice
 * on the same answers and must ask for the same steps. Returns its result or failure.
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
  // Checked here too, in case the body catches all errors.
  assert.deepEqual(sins, [], `${subject.workflow} touched something besides its input and ctx`);
  // Values from the body's realm have other prototypes.
  return JSON.parse(JSON.stringify({ outcome, asked: ctx.asked })) as { outcome: DryOutcome; asked: Payload };
}
