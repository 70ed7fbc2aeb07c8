/** In the order in which help lists them. */
export const ROLLOUT_VERBS = {
  status: 'how it goes: stages, gates, targets, and what it waits for; --watch follows it',
  pause: 'begin nothing new; what is under way comes to its end',
  resume: 'go on; what has failed so far is accepted',
  approve: 'let it pass the gate that it stands at',
  reject: 'do not let it pass, and say why: it pauses',
  rollback: 'bring back what an earlier revision delivered',
  retry: 'try targets again that failed: all, or those that are named behind NAME',
  abort: 'end it where it is',
  replan: 'plan what is left of it anew, by the rollout strategy as it is now',
  'confirm-removal': 'let targets lose it that are held: all, or those that are named behind NAME',
  'accept-revision':
    'go on above a later revision that agents have seen: of all targets, or those that are named behind NAME',
  abandon: 'forget a deployment whose deletion does not come to its end',
} as const;

export type RolloutVerb = keyof typeof ROLLOUT_VERBS;
