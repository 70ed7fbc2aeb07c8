import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  defineQuery,
  makeContinueAsNewFunc,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Payload } from '../../activity.ts';
import { ContinueAsNew } from '../../continue-as-new.ts';
import { DurableError } from '../../durable-error.ts';
import { toFailure } from '../../failure.ts';
import { encodePayload } from '../../payload.ts';
import type { AnyWorkflow } from '../../workflow.ts';
import { type Continuation, FACTS_MEMO, PAUSE_SIGNAL, RESUME_SIGNAL, type RunState, STATE_QUERY } from '../wire.ts';
import { cancelReason } from './cancel-reason.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { TemporalContext } from './temporal-context.ts';
import { factsOf, TemporalExecution } from './temporal-execution.ts';

const FIRST_RUN: Continuation = { run: 1, paused: false, carried: [] };

type Run = (input: Payload, continuation?: Continuation) => Promise<Payload | undefined>;

/** One function for all workflows: Temporal calls the default export for every name without a function of its own. */
export function runWorkflow(modules: readonly object[], options: SandboxOptions): Run {
  const workflows = new Map(modules.flatMap((module) => Object.values(module).filter(isWorkflow).map(byName)));
  return async (input, continuation) => {
    const { workflowType } = workflowInfo();
    const workflow = workflows.get(workflowType);
    // Since it is not one of Temporal's own errors, it fails the workflow task and not the workflow, which waits for
    // code that knows it.
    if (workflow === undefined)
      throw new Error(`WORKFLOW_UNKNOWN: no workflow ${workflowType} is registered; start code that has it`);
    const execution = new TemporalExecution(continuation ?? FIRST_RUN);
    listen(execution);
    try {
      const ctx = new TemporalContext(execution, options, false);
      // A body need not be async; an error it throws is its outcome either way.
      const running = Promise.resolve().then(() => workflow.run(ctx, input as never));
      const result = await Promise.race([running, execution.tooLong]);
      encodePayload(result, `the result of ${execution.id}`);
      return result;
    } catch (error) {
      return await end(execution, error);
    }
  };
}

function isWorkflow(value: unknown): value is AnyWorkflow {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'workflow';
}

function byName(workflow: AnyWorkflow): [string, AnyWorkflow] {
  return [workflow.name, workflow];
}

function listen(execution: TemporalExecution): void {
  setHandler(defineQuery<RunState>(STATE_QUERY), () => execution.state());
  CancellationScope.current().cancelRequested.catch(() => execution.cancel(cancelReason()));
  setDefaultSignalHandler((name, ...args) => {
    if (name === PAUSE_SIGNAL || name === RESUME_SIGNAL) return execution.setPaused(name === PAUSE_SIGNAL);
    const [payload, signalId] = args as [Payload?, string?];
    execution.deliver(name, payload ?? null, signalId);
  });
}

/** Ends the run with Temporal's equivalent of the error that the body threw. */
async function end(execution: TemporalExecution, error: unknown): Promise<never> {
  if (error instanceof ContinueAsNew) return await continueAsNew(execution, error.input);
  if (error instanceof DurableError && error.code === 'WORKFLOW_CANCELLED' && execution.cancelReason !== undefined) {
    throw new CancelledFailure(error.message);
  }
  throw failed(error);
}

async function continueAsNew(execution: TemporalExecution, input: Payload): Promise<never> {
  try {
    encodePayload(input, `the input of the next run of ${execution.id}`);
  } catch (error) {
    throw failed(error);
  }
  const next = execution.continuation();
  return await makeContinueAsNewFunc<Run>({ memo: { [FACTS_MEMO]: factsOf(next) } })(input, next);
}

function failed(error: unknown): ApplicationFailure {
  const { code, message } = toFailure(error);
  return ApplicationFailure.create({ type: code, message, nonRetryable: true });
}
