import type { Scenario } from '../access-api.ts';
import { asked, DENIED, defined, given, granting, HIDDEN, refused, subject } from './steps.ts';

const read = (resource: string) => ({ permission: 'workspaces.read', resource });
const query = { permission: 'metrics-query' };

export const ASKING: readonly Scenario[] = [
  {
    why: 'everybody may know who he is',
    steps: [
      {
        as: 'aliceInWeb',
        call: 'GET /v1/access/identity',
        want: {
          status: 200,
          body: { kind: 'user', id: 'alice', groups: ['ops'], instanceAdmin: false, within: 'workspaces/web' },
        },
      },
      {
        as: 'adminAsViewer',
        call: 'GET /v1/access/identity',
        want: { status: 200, body: { kind: 'admin', id: 'admin', groups: [], instanceAdmin: true, roles: ['viewer'] } },
      },
      { as: 'fleetlet', call: 'GET /v1/access/identity', want: { status: 200, part: { instanceAdmin: false } } },
    ],
  },
  {
    why: 'to ask about others takes access.check there, and what is hidden answers like what does not exist',
    steps: [
      ...given('user:alice viewer workspaces/web', 'user:bob admin workspaces/web', 'group:ops viewer workspaces/emea'),
      asked('alice', 'check', { subject: subject('user:bob'), ...read('workspaces/web') }, DENIED),
      asked(
        'bob',
        'check',
        { subject: subject('user:alice'), ...read('workspaces/web') },
        { status: 200, part: { allowed: true } },
      ),
      asked('bob', 'check', { subject: subject('user:alice'), ...read('workspaces/emea') }, HIDDEN),
      asked('bob', 'check', { subject: subject('user:alice'), ...read('workspaces/nowhere') }, HIDDEN),
      asked('bob', 'check', read('workspaces/emea'), { status: 200, body: { allowed: false, attributes: [] } }),
      asked('bob', 'check', read('workspaces/nowhere'), { status: 200, body: { allowed: false, attributes: [] } }),
      asked(
        'admin',
        'check',
        { subject: { ...subject('user:carol'), groups: ['ops'] }, ...read('workspaces/web') },
        { status: 200, part: { allowed: true } },
      ),
    ],
  },
  {
    why: 'a narrowed token is not told what its holder could do without it, nor what groups do that are not his',
    steps: [
      ...given('user:alice viewer workspaces/root', 'group:board admin workspaces/root'),
      asked('aliceInWeb', 'check', { subject: subject('user:alice'), ...read('workspaces/emea') }, HIDDEN),
      asked('alice', 'check', { subject: subject('user:alice'), ...read('workspaces/emea') }, { status: 200 }),
      asked(
        'alice',
        'check',
        { subject: { ...subject('user:alice'), groups: ['board'] }, ...read('workspaces/emea') },
        DENIED,
      ),
    ],
  },
  {
    why: 'a permission that nobody defined is a mistake, not a denial',
    steps: [
      asked('bob', 'check', { permission: 'no.such', resource: 'workspaces/root' }, refused(400, 'unknownPermission')),
      asked('bob', 'lookupPermissions', { permission: 'no.such' }, refused(400, 'unknownPermission')),
      asked(
        'bob',
        'check',
        { permission: 'x', resource: 'planets/mars' },
        refused(400, 'validationFailed', ['/resource']),
      ),
    ],
  },
  {
    why: "an addon's permission leads to targets with their attributes and never to a workspace, page by page",
    steps: [
      defined('metrics-query'),
      granting({
        on: 'workspaces/emea',
        to: 'user:bob',
        body: { permission: 'metrics-query', attributes: { tenant: 'b' } },
      }),
      ...given('user:bob admin targets/web-1'),
      asked(
        'bob',
        'lookupPermissions',
        { ...query, pageSize: 1 },
        {
          status: 200,
          part: { items: [{ resource: 'targets/emea-1', attributes: [{ tenant: 'b' }] }] },
        },
      ),
      asked(
        'bob',
        'lookupPermissions',
        { ...query, pageSize: 1, pageToken: '{nextPageToken}' },
        {
          status: 200,
          body: { items: [{ resource: 'targets/web-1', attributes: [{ tenant: 'all' }, { tenant: 'b' }] }] },
        },
      ),
      asked('alice', 'lookupPermissions', query, { status: 200, body: { items: [] } }),
    ],
  },
  {
    why: "what others have is shown as far as the caller's own access.lookup goes",
    steps: [
      ...given('user:alice viewer workspaces/root', 'user:bob admin workspaces/web'),
      asked(
        'bob',
        'lookupPermissions',
        { subject: subject('user:alice'), permission: 'targets.read' },
        {
          status: 200,
          body: { items: [{ resource: 'targets/web-1', attributes: [] }] },
        },
      ),
      asked(
        'bob',
        'lookupPermissions',
        { subject: subject('user:alice'), permission: 'workspaces.read' },
        {
          status: 200,
          body: { items: [{ resource: 'workspaces/web', attributes: [] }] },
        },
      ),
      asked(
        'bot',
        'lookupPermissions',
        { subject: subject('user:alice'), permission: 'workspaces.read' },
        {
          status: 200,
          body: { items: [] },
        },
      ),
    ],
  },
  {
    why: 'who has a permission on a thing is told to whoever may look there, page by page',
    steps: [
      ...given(
        'group:ops viewer workspaces/root',
        'user:bob admin workspaces/web',
        'serviceAccount:bot deployer targets/web-1',
      ),
      asked(
        'bob',
        'lookupSubjects',
        { permission: 'targets.read', resource: 'targets/web-1', pageSize: 2 },
        {
          status: 200,
          part: { items: [subject('group:ops'), subject('serviceAccount:bot')] },
        },
      ),
      asked(
        'bob',
        'lookupSubjects',
        { permission: 'targets.read', resource: 'targets/web-1', pageSize: 2, pageToken: '{nextPageToken}' },
        { status: 200, body: { items: [subject('user:bob')] } },
      ),
      asked('bot', 'lookupSubjects', { permission: 'targets.read', resource: 'targets/web-1' }, DENIED),
      asked('bob', 'lookupSubjects', read('workspaces/apac'), HIDDEN),
      asked('bob', 'lookupSubjects', read('workspaces/nowhere'), HIDDEN),
    ],
  },
  {
    why: 'an explanation names the grants and the way that they flow',
    steps: [
      ...given('group:ops viewer workspaces/emea'),
      asked(
        'alice',
        'explain',
        { permission: 'targets.read', resource: 'targets/web-1' },
        {
          status: 200,
          body: {
            allowed: true,
            reasons: [
              {
                kind: 'grant',
                subject: subject('group:ops'),
                role: 'viewer',
                grant: 'workspaces/emea/grants/viewer-ops',
                path: ['workspaces/emea', 'workspaces/web', 'targets/web-1'],
              },
            ],
          },
        },
      ),
      asked('admin', 'explain', read('workspaces/web'), {
        status: 200,
        body: { allowed: true, reasons: [{ kind: 'instanceAdmin', path: [] }] },
      }),
    ],
  },
  {
    why: 'an explanation says what would be needed, or that the token is too narrow',
    steps: [
      ...given('user:alice admin workspaces/web', 'user:bob viewer workspaces/root'),
      asked(
        'bob',
        'explain',
        { permission: 'targets.update', resource: 'targets/web-1' },
        {
          status: 200,
          body: { allowed: false, reasons: [], denial: 'noGrant', needed: { on: 'targets/web-1', roles: ['admin'] } },
        },
      ),
      asked(
        'adminAsViewer',
        'explain',
        { permission: 'issuers.read', resource: 'workspaces/web' },
        {
          status: 200,
          part: { denial: 'rolesOutsideScope', needed: { on: 'workspaces/root', roles: ['admin'] } },
        },
      ),
      asked(
        'adminInWeb',
        'explain',
        { permission: 'issuers.read', resource: 'workspaces/web' },
        {
          status: 200,
          part: { denial: 'outsideScope' },
        },
      ),
    ],
  },
  {
    why: 'an explanation tells nothing of what the reader may not see',
    steps: [
      ...given('user:alice viewer workspaces/root', 'user:bob admin workspaces/web'),
      asked(
        'bob',
        'explain',
        { subject: subject('user:alice'), ...read('workspaces/web') },
        {
          status: 200,
          body: {
            allowed: true,
            reasons: [{ kind: 'grant', subject: subject('user:alice'), role: 'viewer', path: ['workspaces/web'] }],
          },
        },
      ),
      asked('bob', 'explain', { subject: subject('user:alice'), ...read('workspaces/emea') }, HIDDEN),
      asked('bob', 'explain', read('workspaces/emea'), HIDDEN),
      asked('bob', 'explain', read('workspaces/nowhere'), HIDDEN),
      asked('alice', 'explain', { subject: subject('user:bob'), ...read('workspaces/web') }, DENIED),
      asked('aliceInWeb', 'explain', read('workspaces/web'), {
        status: 200,
        part: { reasons: [{ kind: 'grant', role: 'viewer', path: ['workspaces/web'] }] },
      }),
    ],
  },
];
