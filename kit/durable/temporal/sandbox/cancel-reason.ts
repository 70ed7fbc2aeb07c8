import type { WorkflowInterceptors } from '@temporalio/workflow';

// A module in the sandbox is loaded separately for every workflow.
let reason = '';

/** Why this workflow was cancelled, as given by the caller. */
export function cancelReason(): string {
  return reason;
}

/** Temporal sends the reason with the cancel, but the SDK drops it; this interceptor keeps it. */
export function interceptors(): WorkflowInterceptors {
  return {
    internals: [
      {
        activate: (input, next) => {
          for (const { cancelWorkflow } of input.activation.jobs ?? []) reason = cancelWorkflow?.reason ?? reason;
          next(input);
        },
      },
    ],
  };
}
