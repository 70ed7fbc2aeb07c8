import type { WorkflowInterceptors } from '@temporalio/workflow';

// A module in the sandbox is loaded anew for every workflow.
let reason = '';

/** Why this workflow was cancelled, as the caller put it. */
export function cancelReason(): string {
  return reason;
}

/** Temporal tells the reason with the cancel, and the SDK drops it; it is picked up on the way. */
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
