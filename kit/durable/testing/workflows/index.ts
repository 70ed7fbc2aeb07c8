export { cancellable, careless, shielded } from './cancelling.ts';
export { chance } from './chance.ts';
export { everything } from './everything.ts';
export { dynasty, fan, parent, parentOfFailing } from './families.ts';
export { greedy, hauler, mumbler, talkative } from './limits.ts';
export { chapters, collector, impatient, rivals, sorter } from './signals.ts';
export { echo, ending, steps, tryWork } from './steps.ts';
export { alarms, sleeper } from './timers.ts';
