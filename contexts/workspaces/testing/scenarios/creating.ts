import { uidOf } from '../a-workspace.ts';
import { ALL, created, given, gone, listed, post, refused, resource, type Scenario } from './steps.ts';

const KEY = { 'idempotency-key': 'k1' };

export const CREATING: readonly Scenario[] = [
  {
    why: 'a name is enough for a folder in the root',
    steps: [
      post(
        { body: { name: 'web' } },
        {
          ...created('web'),
          resource: resource({ name: 'web' }),
          headers: { location: `${ALL}/web`, etag: '"1-000000000001"' },
        },
      ),
      {
        call: `GET ${ALL}/web`,
        want: { status: 200, resource: resource({ name: 'web' }), headers: { etag: '"1-000000000001"' } },
      },
    ],
  },
  {
    why: 'everything that can be said of one is kept',
    steps: [
      ...given('emea'),
      post(
        {
          body: {
            name: 'web',
            kind: 'folder',
            parent: 'emea',
            displayName: '東京 🗼',
            labels: { b: '', 'a.b/c': 'd' },
          },
        },
        {
          ...created('web'),
          resource: resource({
            nth: 2,
            name: 'web',
            parent: 'emea',
            displayName: '東京 🗼',
            labels: { 'a.b/c': 'd', b: '' },
          }),
        },
      ),
    ],
  },
  {
    why: 'a name is taken wherever in the tree it is',
    steps: [
      ...given('emea', 'web in emea'),
      post({ body: { name: 'web' } }, refused(409, { code: 'nameTaken', faults: ['/name'] })),
      post({ body: { name: 'root' } }, refused(409, { code: 'nameTaken' })),
    ],
  },
  {
    why: 'a parent must be there',
    steps: [
      post({ body: { name: 'web', parent: 'nobody' } }, refused(400, { code: 'parentNotFound', faults: ['/parent'] })),
      post({ body: { name: 'web', parent: 'web' } }, refused(400, { code: 'parentNotFound' })),
    ],
  },
  {
    why: 'a domain has a slug and a region, and its projects have its region',
    steps: [
      post(
        { body: { name: 'acme', kind: 'domain', region: 'eu-1' } },
        { ...created('acme'), resource: resource({ name: 'acme', kind: 'domain', slug: 'acme', region: 'eu-1' }) },
      ),
      post(
        { body: { name: 'shop', kind: 'project', parent: 'acme' } },
        {
          ...created('shop'),
          resource: resource({ nth: 2, name: 'shop', kind: 'project', parent: 'acme', region: 'eu-1' }),
        },
      ),
      post(
        { body: { name: 'b', kind: 'domain', slug: 'acme' } },
        refused(409, { code: 'slugTaken', faults: ['/slug'] }),
      ),
    ],
  },
  {
    why: 'each kind has its place',
    steps: [
      ...given('domain acme', 'project shop in acme', 'team in shop', 'area in acme', 'domain inner in area'),
      post({ body: { name: 'x', kind: 'project' } }, refused(400, { code: 'wrongParent', faults: ['/parent'] })),
      post({ body: { name: 'x', kind: 'project', parent: 'area' } }, refused(400, { code: 'wrongParent' })),
      post({ body: { name: 'x', kind: 'domain', parent: 'acme' } }, refused(400, { code: 'wrongParent' })),
      post({ body: { name: 'x', kind: 'domain', parent: 'shop' } }, refused(400, { code: 'wrongParent' })),
      post({ body: { name: 'x', kind: 'domain', parent: 'team' } }, refused(400, { code: 'wrongParent' })),
    ],
  },
  {
    why: 'it takes a permission for the parent, and tells nothing of one that the caller may not see',
    steps: [
      ...given('locked', 'hidden'),
      post({ body: { name: 'web', parent: 'locked' } }, refused(403, { code: 'permissionDenied' })),
      post({ body: { name: 'web', parent: 'hidden' } }, refused(404, { code: 'workspaceNotFound' })),
    ],
  },
  {
    why: 'what the schema does not know is refused with its place',
    steps: [
      post({ body: { name: 'Web' } }, refused(400, { code: 'validationFailed', faults: ['/name'] })),
      post({ body: { name: 'web', kind: 'galaxy' } }, refused(400, { code: 'validationFailed', faults: ['/kind'] })),
      post({ body: { name: 'web', uid: uidOf(1) } }, refused(400, { code: 'validationFailed', faults: ['/uid'] })),
      post(
        { body: { name: 'a', labels: { b: 1 } } },
        refused(400, { code: 'validationFailed', faults: ['/labels/b'] }),
      ),
      post({ body: {} }, refused(400, { code: 'validationFailed', faults: ['/name'] })),
      listed('', 'root'),
    ],
  },
  {
    why: 'what the schema cannot say is refused too, with its place where it has one',
    steps: [
      post(
        { body: { name: 'web', labels: { 'a b': 'c' } } },
        refused(400, { code: 'invalidWorkspace', faults: ['/labels/a b'] }),
      ),
      post({ body: { name: 'web', displayName: 'a\0b' } }, refused(400, { code: 'malformedJson' })),
      post({ body: { name: 'web', displayName: '\ud800' } }, refused(400, { code: 'malformedJson' })),
    ],
  },
  {
    why: 'the tree ends 16 levels below the root',
    steps: [
      ...given('l1', ...Array.from({ length: 15 }, (_, level) => `l${level + 2} in l${level + 1}`)),
      post({ body: { name: 'l17', parent: 'l16' } }, refused(400, { code: 'treeTooDeep', faults: ['/parent'] })),
    ],
  },
  {
    why: 'a dry run shows what would be, and leaves nothing',
    steps: [
      post({ query: '?dryRun=true', body: { name: 'web' } }, { status: 201, resource: resource({ name: 'web' }) }),
      gone('web'),
      ...given('web'),
      post({ query: '?dryRun=true', body: { name: 'web' } }, refused(409, { code: 'nameTaken' })),
    ],
  },
  {
    why: 'a key creates once, however often it is sent',
    steps: [
      post({ body: { name: 'web' }, headers: KEY }, created('web')),
      post(
        { body: { name: 'web' }, headers: KEY },
        {
          status: 201,
          resource: resource({ name: 'web' }),
          headers: { location: `${ALL}/web`, etag: '"1-000000000001"', 'idempotency-replayed': 'true' },
        },
      ),
      post({ body: { name: 'api' }, headers: KEY }, refused(422, { code: 'idempotencyKeyReused' })),
      gone('api'),
    ],
  },
  {
    why: 'what was refused may be sent again with its key',
    steps: [
      post({ body: { name: 'web', parent: 'emea' }, headers: KEY }, refused(400, { code: 'parentNotFound' })),
      ...given('emea'),
      post({ body: { name: 'web', parent: 'emea' }, headers: KEY }, created('web')),
    ],
  },
];
