import { ALL, created, given, patch, post, refused, resource, type Scenario, updated } from './steps.ts';

const FIRST = { 'if-match': '"1-000000000001"' };

export const CHANGING: readonly Scenario[] = [
  {
    why: 'a patch changes what it names, and the etag',
    steps: [
      post({ body: { name: 'web', displayName: 'Web', labels: { a: '1', b: '2' } } }, created('web')),
      patch(
        'web',
        { body: { labels: { a: null, c: '3' } } },
        {
          ...updated('web'),
          resource: resource({ name: 'web', displayName: 'Web', labels: { b: '2', c: '3' }, step: 2, version: 2 }),
          headers: { etag: '"2-000000000001"' },
        },
      ),
      patch(
        'web',
        { body: { displayName: null, labels: null } },
        { ...updated('web'), resource: resource({ name: 'web', step: 3, version: 3 }) },
      ),
    ],
  },
  {
    why: 'a patch that changes nothing keeps the etag and is not announced',
    steps: [
      ...given('web'),
      patch(
        'web',
        { body: {} },
        { status: 200, resource: resource({ name: 'web' }), headers: { etag: '"1-000000000001"' } },
      ),
      patch(
        'web',
        { body: { displayName: null, labels: { a: null } } },
        { status: 200, resource: resource({ name: 'web' }) },
      ),
    ],
  },
  {
    why: 'a patch for a state that has passed is refused, even when it would change nothing',
    steps: [
      ...given('web'),
      patch('web', { body: { displayName: 'A' }, headers: { 'if-match': '"{etag}"' } }, updated('web')),
      patch('web', { body: { displayName: 'B' }, headers: FIRST }, refused(412, { code: 'preconditionFailed' })),
      patch('web', { body: { displayName: 'A' }, headers: FIRST }, refused(412, { code: 'preconditionFailed' })),
      patch('web', { body: { displayName: 'B' }, headers: { 'if-match': '*' } }, updated('web')),
    ],
  },
  {
    why: 'a dry run of a patch shows what would be, and leaves it as it is',
    steps: [
      ...given('web'),
      patch(
        'web',
        { query: '?dryRun=true', body: { displayName: 'A' } },
        { status: 200, resource: resource({ name: 'web', displayName: 'A', step: 2, version: 2 }) },
      ),
      { call: `GET ${ALL}/web`, want: { status: 200, resource: resource({ name: 'web' }) } },
    ],
  },
  {
    why: 'a patch is refused with the place of what is wrong in it',
    steps: [
      ...given('web'),
      patch('web', { body: { parent: 'root' } }, refused(400, { code: 'validationFailed', faults: ['/parent'] })),
      patch(
        'web',
        { body: { labels: { 'a b': 'c' } } },
        refused(400, { code: 'invalidWorkspace', faults: ['/labels/a b'] }),
      ),
      patch(
        'web',
        { body: { displayName: ' ' } },
        refused(400, { code: 'invalidWorkspace', faults: ['/displayName'] }),
      ),
      patch('api', { body: {} }, refused(404, { code: 'workspaceNotFound' })),
    ],
  },
  {
    why: 'a patch may say that it is a merge patch, and no other kind',
    steps: [
      ...given('web'),
      patch(
        'web',
        { body: { displayName: 'A' }, headers: { 'content-type': 'application/merge-patch+json' } },
        updated('web'),
      ),
      patch(
        'web',
        { body: [], headers: { 'content-type': 'application/json-patch+json' } },
        refused(415, { code: 'unsupportedMediaType' }),
      ),
    ],
  },
  {
    why: 'a new region of a domain is that of its projects at once, and their etags change with it',
    steps: [
      ...given('domain acme', 'project b in acme', 'project a in acme', 'team in a'),
      patch(
        'acme',
        { body: { region: 'eu-1' } },
        { status: 200, events: ['workspace.updated acme', 'workspace.updated a', 'workspace.updated b'] },
      ),
      {
        call: `GET ${ALL}/a`,
        want: {
          status: 200,
          resource: resource({
            nth: 3,
            name: 'a',
            kind: 'project',
            parent: 'acme',
            region: 'eu-1',
            step: 5,
            version: 2,
            generation: 1,
            observedGeneration: 1,
          }),
        },
      },
      patch('acme', { body: { displayName: 'A', region: 'eu-1' } }, updated('acme')),
      patch('a', { body: { region: 'us-1' } }, refused(400, { code: 'invalidWorkspace', faults: ['/region'] })),
      patch('team', { body: { region: 'us-1' } }, refused(400, { code: 'invalidWorkspace', faults: ['/region'] })),
      patch('acme', { body: { slug: 'b' } }, refused(400, { code: 'validationFailed', faults: ['/slug'] })),
    ],
  },
  {
    why: 'the root can be labelled like any other',
    steps: [patch('root', { body: { displayName: 'ACME', labels: { a: 'b' } } }, updated('root'))],
  },
];
