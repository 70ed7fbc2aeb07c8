/**
 * Flags for Node processes that live for seconds: V8 turns only what is very hot into fast code, since most of it would
 * not pay for itself before the end.
 */
export const SHORT_LIVED = ['--invocation-count-for-maglev=4000', '--invocation-count-for-turbofan=20000'];
