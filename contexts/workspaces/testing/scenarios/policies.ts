import { ALL, created, given, patch, post, refused, resource, type Scenario, updated } from './steps.ts';

const APPROVAL = { type: 'approval', requireDistinctApprover: true, expiry: '24h' };
const PAUSE = { type: 'wait', duration: '10m' };
const policy = { requiredGates: [APPROVAL, PAUSE] };
const FORBIDDEN = refused(403, { code: 'permissionDenied' });
const MALFORMED = { code: 'validationFailed' };
const INVALID = { code: 'invalidWorkspace' };

export const POLICIES: readonly Scenario[] = [
  {
    why: 'a policy is kept and shown, and replaced as a whole',
    steps: [
      post({ body: { name: 'web', policy } }, { ...created('web'), resource: resource({ name: 'web', policy }) }),
      patch(
        'web',
        { body: { policy: { requiredGates: [PAUSE] } } },
        {
          ...updated('web'),
          resource: resource({ name: 'web', policy: { requiredGates: [PAUSE] }, step: 2, version: 2 }),
        },
      ),
      {
        call: `GET ${ALL}/web`,
        want: {
          status: 200,
          resource: resource({ name: 'web', policy: { requiredGates: [PAUSE] }, step: 2, version: 2 }),
        },
      },
    ],
  },
  ...[
    { how: 'null', none: null },
    { how: 'no gate at all', none: { requiredGates: [] } },
  ].map(({ how, none }) => ({
    why: `a policy is removed by ${how}`,
    steps: [
      post({ body: { name: 'web', policy } }, created('web')),
      patch(
        'web',
        { body: { policy: none } },
        { ...updated('web'), resource: resource({ name: 'web', step: 2, version: 2 }) },
      ),
      patch('web', { body: { policy: none } }, { status: 200, headers: { etag: '"2-000000000001"' } }),
    ],
  })),
  {
    why: 'another patch leaves the policy as it is, and the same policy again changes nothing',
    steps: [
      post({ body: { name: 'web', policy } }, created('web')),
      patch(
        'web',
        { body: { displayName: 'Web' } },
        { ...updated('web'), resource: resource({ name: 'web', displayName: 'Web', policy, step: 2, version: 2 }) },
      ),
      patch('web', { body: { policy } }, { status: 200, headers: { etag: '"2-000000000001"' } }),
    ],
  },
  {
    why: 'who may change a workspace and not its policy can neither set, weaken nor remove it, and changes the rest',
    steps: [
      ...given('ruled'),
      patch('ruled', { body: { policy } }, FORBIDDEN),
      patch('ruled', { body: { policy: { requiredGates: [] } } }, FORBIDDEN),
      patch('ruled', { body: { policy: null } }, FORBIDDEN),
      patch('ruled', { body: { policy: null, displayName: 'Ruled' } }, FORBIDDEN),
      patch('ruled', { query: '?dryRun=true', body: { policy } }, FORBIDDEN),
      patch('ruled', { body: { displayName: 'Ruled' } }, updated('ruled')),
      post({ body: { name: 'web', parent: 'ruled', policy } }, FORBIDDEN),
      post({ body: { name: 'web', parent: 'ruled' } }, created('web')),
    ],
  },
  ...[
    { what: 'a gate of another type', gate: { type: 'health' }, problem: MALFORMED },
    {
      what: 'a gate that hangs on a deployment',
      gate: { type: 'deploymentHealth', deployment: 'db' },
      problem: MALFORMED,
    },
    { what: 'an unknown field', gate: { ...APPROVAL, approvers: ['ann'] }, problem: MALFORMED },
    { what: 'a wait without its time', gate: { type: 'wait' }, problem: MALFORMED },
    {
      what: 'a time that is none',
      gate: { ...PAUSE, duration: 'soon' },
      problem: { ...INVALID, faults: ['/policy/requiredGates/0/duration'] },
    },
    {
      what: 'an expiry below zero',
      gate: { ...APPROVAL, expiry: '-1h' },
      problem: { ...INVALID, faults: ['/policy/requiredGates/0/expiry'] },
    },
  ].map(({ what, gate, problem }) => ({
    why: `a policy is refused for ${what}`,
    steps: [
      ...given('web'),
      patch('web', { body: { policy: { requiredGates: [gate] } } }, refused(400, problem)),
      post({ body: { name: 'shop', policy: { requiredGates: [gate] } } }, refused(400, problem)),
    ],
  })),
  {
    why: 'a policy has at most eight gates',
    steps: [
      ...given('web'),
      patch(
        'web',
        { body: { policy: { requiredGates: Array.from({ length: 9 }, () => PAUSE) } } },
        refused(400, MALFORMED),
      ),
      patch('web', { body: { policy: { requiredGates: Array.from({ length: 8 }, () => PAUSE) } } }, updated('web')),
    ],
  },
];
