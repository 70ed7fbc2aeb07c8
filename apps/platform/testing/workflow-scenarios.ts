import { secondsIn } from './workflow-api.ts';

export const ALL = '/v1/workflows';

/** One request, and the expected parts of its response. */
interface Row {
  readonly why: string;
  readonly call: string;
  readonly send?: unknown;
  readonly want: readonly [status: number, body: Readonly<Record<string, unknown>>];
}

const SOLD_OUT = { code: 'SoldOut', message: 'moonlight is sold out' };
const UNKNOWN = { code: 'WORKFLOW_UNKNOWN', message: 'no workflow forgotten is registered; start code that has it' };
const DONE = {
  id: 'done',
  name: 'errand',
  status: 'completed',
  startTime: secondsIn(1),
  endTime: secondsIn(1),
  run: 1,
};
const CHILD = { id: 'parent-child', name: 'listener', status: 'running', startTime: secondsIn(6), run: 1 };

export const READING: readonly Row[] = [
  {
    why: 'one that ended, with what it was given and what it gave',
    call: `GET ${ALL}/done`,
    want: [
      200,
      { ...DONE, input: { things: ['pear'] }, result: { bought: ['one pear'] }, historyLength: 1, waitingFor: [] },
    ],
  },
  {
    why: 'one that failed, with its reason',
    call: `GET ${ALL}/failed`,
    want: [200, { status: 'failed', reason: { code: 'RangeError', message: 'slipped on it' }, waitingFor: [] }],
  },
  {
    why: 'an activity that is tried again: when, and what went wrong',
    call: `GET ${ALL}/retrying`,
    want: [
      200,
      {
        status: 'running',
        waitingFor: [
          {
            kind: 'activity',
            name: 'buy',
            step: 2,
            since: secondsIn(3),
            until: secondsIn(3 + 1_800),
            attempt: 2,
            lastError: SOLD_OUT,
          },
        ],
      },
    ],
  },
  {
    why: 'a timer, with its time',
    call: `GET ${ALL}/napping`,
    want: [200, { waitingFor: [{ kind: 'timer', name: '', step: 1, since: secondsIn(5), until: secondsIn(3_605) }] }],
  },
  {
    why: 'a signal',
    call: `GET ${ALL}/listening`,
    want: [200, { waitingFor: [{ kind: 'signal', name: 'word', step: 0 }] }],
  },
  {
    why: 'a child',
    call: `GET ${ALL}/parent`,
    want: [200, { waitingFor: [{ kind: 'child', name: 'listener', step: 1, since: secondsIn(6) }] }],
  },
  { why: 'the parent of a child', call: `GET ${ALL}/parent-child`, want: [200, { ...CHILD, parent: 'parent' }] },
  { why: 'a parked one, with its reason', call: `GET ${ALL}/lost`, want: [200, { status: 'parked', reason: UNKNOWN }] },
  {
    why: 'a history',
    call: `GET ${ALL}/retrying/history`,
    want: [
      200,
      {
        items: [
          { kind: 'activity', step: 1, name: 'buy', input: { thing: 'pear' }, result: 'one pear', time: secondsIn(3) },
        ],
      },
    ],
  },
  { why: 'an empty history', call: `GET ${ALL}/napping/history`, want: [200, { items: [] }] },
  { why: 'nothing of that id', call: `GET ${ALL}/nobody`, want: [404, { code: 'workflowNotFound' }] },
  {
    why: 'nothing of an id with all that one may have',
    call: `GET ${ALL}/a.B_~-9`,
    want: [404, { code: 'workflowNotFound' }],
  },
  { why: 'no history of that id', call: `GET ${ALL}/nobody/history`, want: [404, { code: 'workflowNotFound' }] },
  { why: 'an id that can be none', call: `GET ${ALL}/a%20b`, want: [400, { code: 'validationFailed' }] },
  { why: 'an id too long to be one', call: `GET ${ALL}/${'x'.repeat(201)}`, want: [400, { code: 'validationFailed' }] },
];

export const LISTED: readonly { why: string; query: string; ids: readonly string[] }[] = [
  {
    why: 'the newest first',
    query: '',
    ids: ['lost', 'parent-child', 'parent', 'napping', 'listening', 'retrying', 'failed', 'done'],
  },
  { why: 'by status', query: '?status=parked', ids: ['lost'] },
  { why: 'by name', query: '?name=errand', ids: ['retrying', 'done'] },
  { why: 'by both', query: '?name=errand&status=running', ids: ['retrying'] },
  { why: 'none', query: '?name=nothing', ids: [] },
];

export const REFUSED: readonly Row[] = [
  { why: 'a status that there is not', call: `GET ${ALL}?status=open`, want: [400, { code: 'validationFailed' }] },
  { why: 'a parameter that there is not', call: `GET ${ALL}?state=x`, want: [400, { code: 'validationFailed' }] },
  { why: 'a page token that nobody gave', call: `GET ${ALL}?pageToken=x`, want: [400, { code: 'invalidPageToken' }] },
  {
    why: 'a cancel without a reason',
    call: `POST ${ALL}/napping:cancel`,
    send: {},
    want: [400, { code: 'validationFailed' }],
  },
  {
    why: 'a reason of two lines',
    call: `POST ${ALL}/napping:cancel`,
    send: { reason: 'a\nb' },
    want: [400, { code: 'validationFailed' }],
  },
  {
    why: 'a cancel of what has ended',
    call: `POST ${ALL}/done:cancel`,
    send: { reason: 'late' },
    want: [409, { code: 'workflowEnded' }],
  },
  { why: 'a pause of what has ended', call: `POST ${ALL}/failed:pause`, want: [409, { code: 'workflowEnded' }] },
  {
    why: 'a resume of what is not there',
    call: `POST ${ALL}/nobody:resume`,
    want: [404, { code: 'workflowNotFound' }],
  },
  {
    why: 'the same in a dry run: it has ended',
    call: `POST ${ALL}/done:cancel?dryRun=true`,
    send: { reason: 'late' },
    want: [409, { code: 'workflowEnded' }],
  },
  {
    why: 'the same in a dry run: it is not there',
    call: `POST ${ALL}/nobody:pause?dryRun=true`,
    want: [404, { code: 'workflowNotFound' }],
  },
  { why: 'a verb that there is not', call: `POST ${ALL}/napping:wake`, want: [404, { code: 'routeNotFound' }] },
];
