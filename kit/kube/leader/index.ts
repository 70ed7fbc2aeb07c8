export { createLeaderElection, type LeaderElectionOptions } from './leader-election.ts';
export { LEADER_ERRORS, LeaderError, type LeaderErrorCode } from './leader-error.ts';
export { leaderGauge } from './leader-gauge.ts';
