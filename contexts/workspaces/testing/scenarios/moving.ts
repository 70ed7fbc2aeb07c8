import {
  ALL,
  created,
  given,
  listed,
  move,
  moved,
  patch,
  post,
  refused,
  resource,
  type Scenario,
  updated,
} from './steps.ts';

const MOVES_ALONE = { kind: 'workspaces', message: '1 workspace moves.', count: 1 };
const parentChange = (name: string, from: string, to: string) => ({
  kind: 'parent',
  message: `${name} moves from ${from} to ${to}.`,
  from,
  to,
});

export const MOVING: readonly Scenario[] = [
  {
    why: 'a move takes all that is below along, and tells what changes',
    steps: [
      ...given('emea', 'web in emea', 'api in web', 'apac'),
      move(
        'web',
        { body: { parent: 'apac' } },
        {
          ...moved('web'),
          resource: {
            workspace: resource({ nth: 2, name: 'web', parent: 'apac', step: 5, version: 2 }),
            changes: [
              parentChange('web', 'emea', 'apac'),
              { kind: 'workspaces', message: '2 workspaces move.', count: 2 },
            ],
          },
        },
      ),
      listed('parent=emea&subtree=true'),
      listed('parent=apac&subtree=true', 'api', 'web'),
      { call: `GET ${ALL}/api`, want: { status: 200, resource: resource({ nth: 3, name: 'api', parent: 'web' }) } },
    ],
  },
  {
    why: 'a dry run tells the same, and moves nothing',
    steps: [
      ...given('emea', 'web'),
      move(
        'web',
        { query: '?dryRun=true', body: { parent: 'emea' } },
        { status: 200, changes: [parentChange('web', 'root', 'emea'), MOVES_ALONE] },
      ),
      listed('parent=emea'),
    ],
  },
  {
    why: 'others tell what changes for them, after the tree has',
    steps: [
      ...given('emea', 'furnished'),
      move(
        'furnished',
        { query: '?dryRun=true', body: { parent: 'emea' } },
        {
          status: 200,
          changes: [
            parentChange('furnished', 'root', 'emea'),
            MOVES_ALONE,
            {
              kind: 'lamps',
              message: '2 lamps move.',
              from: '/root/furnished/',
              to: '/root/emea/furnished/',
              count: 2,
            },
          ],
        },
      ),
    ],
  },
  {
    why: 'a project has the region of the domain that it is moved to',
    steps: [
      post({ body: { name: 'eu', kind: 'domain', region: 'eu-1' } }, created('eu')),
      post({ body: { name: 'us', kind: 'domain', region: 'us-1' } }, created('us')),
      ...given('project shop in eu'),
      move(
        'shop',
        { body: { parent: 'us' } },
        {
          ...moved('shop'),
          changes: [
            parentChange('shop', 'eu', 'us'),
            MOVES_ALONE,
            {
              kind: 'region',
              message: "The region of shop is its domain's: eu-1 before, us-1 afterwards.",
              from: 'eu-1',
              to: 'us-1',
            },
          ],
        },
      ),
      patch(
        'us',
        { body: { region: 'us-2' } },
        { status: 200, events: ['workspace.updated us', 'workspace.updated shop'] },
      ),
      patch('eu', { body: { region: 'eu-2' } }, updated('eu')),
    ],
  },
  {
    why: 'a move to where it is changes nothing',
    steps: [
      ...given('web'),
      move(
        'web',
        { body: { parent: 'root' } },
        { status: 200, resource: { workspace: resource({ name: 'web' }), changes: [] } },
      ),
    ],
  },
  {
    why: 'what cannot be is refused',
    steps: [
      ...given(
        'emea',
        'web in emea',
        'api in web',
        'domain acme',
        'project shop in acme',
        'team in shop',
        'holder',
        'domain held in holder',
      ),
      move('web', { body: { parent: 'web' } }, refused(400, { code: 'moveIntoItself', faults: ['/parent'] })),
      move('web', { body: { parent: 'api' } }, refused(400, { code: 'moveIntoItself' })),
      move('web', { body: { parent: 'nobody' } }, refused(400, { code: 'parentNotFound', faults: ['/parent'] })),
      move('nobody', { body: { parent: 'web' } }, refused(404, { code: 'workspaceNotFound' })),
      move('root', { body: { parent: 'web' } }, refused(409, { code: 'rootIsFixed' })),
      move('shop', { body: { parent: 'emea' } }, refused(400, { code: 'wrongParent', faults: ['/parent'] })),
      move('acme', { body: { parent: 'held' } }, refused(400, { code: 'wrongParent' })),
      move('holder', { body: { parent: 'team' } }, refused(400, { code: 'wrongParent' })),
      move('web', { body: { parent: 'team' } }, moved('web')),
    ],
  },
  {
    why: 'a subtree does not go deeper than the tree',
    steps: [
      ...given(
        'l1',
        ...Array.from({ length: 13 }, (_, level) => `l${level + 2} in l${level + 1}`),
        'a',
        'b in a',
        'c in b',
      ),
      move('a', { body: { parent: 'l14' } }, refused(400, { code: 'treeTooDeep', faults: ['/parent'] })),
      move('a', { body: { parent: 'l13' } }, moved('a')),
    ],
  },
  {
    why: 'it is for the state that was seen, and needs a permission at both ends',
    steps: [
      ...given('web', 'emea', 'locked', 'hidden'),
      move('web', { body: { parent: 'locked' } }, refused(403, { code: 'permissionDenied' })),
      move('locked', { body: { parent: 'emea' } }, refused(403, { code: 'permissionDenied' })),
      move('web', { body: { parent: 'hidden' } }, refused(404, { code: 'workspaceNotFound' })),
      move(
        'web',
        { body: { parent: 'emea' }, headers: { 'if-match': '"2-000000000001"' } },
        refused(412, { code: 'preconditionFailed' }),
      ),
      move('web', { body: { parent: 'emea' }, headers: { 'if-match': '"1-000000000001"' } }, moved('web')),
    ],
  },
  {
    why: 'the parent that it leaves is asked too, a dry run included, and hides nothing that the workspace shows',
    steps: [
      ...given('closed', 'unseen', 'kept in closed', 'held in unseen', 'emea'),
      move('kept', { body: { parent: 'emea' } }, refused(403, { code: 'permissionDenied' })),
      move('kept', { query: '?dryRun=true', body: { parent: 'emea' } }, refused(403, { code: 'permissionDenied' })),
      move('held', { body: { parent: 'emea' } }, refused(403, { code: 'permissionDenied' })),
      listed('parent=closed', 'kept'),
      listed('parent=unseen', 'held'),
    ],
  },
];
