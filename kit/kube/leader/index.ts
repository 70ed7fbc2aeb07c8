export { createLeaderElection, type LeaderElectionOptions } from './leader-election.ts';
export { type LeaderErrorCode } from './leader-error.ts';
export { leaderGauge } from './leader-gauge.ts';
