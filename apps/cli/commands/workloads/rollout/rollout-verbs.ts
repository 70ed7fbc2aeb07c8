/** In the order of the help. */
export const ROLLOUT_VERBS = {
  status: 'show stages, gates, targets and waits; --watch follows it',
  pause: 'start nothing new; work in progress completes',
  resume: 'continue without what failed; health gates still wait for it',
  approve: 'approve the gate that it waits at',
  reject: 'reject the gate with a reason; the rollout pauses',
  rollback: 'go back to the content of an earlier revision',
  retry: 'retry failed targets: all, or those named after NAME',
  abort: 'end it where it is',
  replan: 'plan the rest again with the current rollout strategy',
  'confirm-removal': 'confirm held removals: of all targets, or those named after NAME',
  'accept-revision': 'continue above a later revision that agents have seen: of all targets, or those named after NAME',
  abandon: 'forget a deployment whose deletion does not complete',
} as const;

export type RolloutVerb = keyof typeof ROLLOUT_VERBS;
