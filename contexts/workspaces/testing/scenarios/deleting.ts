import { given, gone, refused, remove, type Scenario, there } from './steps.ts';

export const DELETING: readonly Scenario[] = [
  {
    why: 'an empty workspace goes, and its name is free for another one',
    steps: [
      ...given('web'),
      remove('web', { headers: { 'if-match': '"{etag}"' } }, { status: 204, events: ['workspace.deleted web'] }),
      gone('web'),
      remove('web', {}, refused(404, { code: 'workspaceNotFound' })),
      ...given('web'),
      remove('web', { headers: { 'if-match': '"1-000000000001"' } }, refused(412, { code: 'preconditionFailed' })),
      there('web'),
    ],
  },
  {
    why: 'a workspace with something in it stays, and says what it is',
    steps: [
      ...given('web', ...Array.from({ length: 12 }, (_, index) => `child-${String(index).padStart(2, '0')} in web`)),
      remove(
        'web',
        {},
        refused(409, {
          code: 'workspaceNotEmpty',
          inTheWay: [
            { kind: 'workspace', count: 12, names: Array.from({ length: 10 }, (_, index) => `child-0${index}`) },
          ],
        }),
      ),
      there('web'),
    ],
  },
  {
    why: 'what others keep in a workspace is in the way too',
    steps: [
      ...given('furnished', 'web in furnished'),
      remove(
        'furnished',
        {},
        refused(409, {
          code: 'workspaceNotEmpty',
          inTheWay: [
            { kind: 'workspace', count: 1, names: ['web'] },
            { kind: 'lamp', count: 2, names: ['big', 'small'] },
          ],
        }),
      ),
      there('furnished'),
    ],
  },
  {
    why: 'a dry run of a delete says whether it could, and does not',
    steps: [
      ...given('web', 'api in web'),
      remove('web', { query: '?dryRun=true' }, refused(409, { code: 'workspaceNotEmpty' })),
      remove('api', { query: '?dryRun=true' }, { status: 204 }),
      there('api'),
    ],
  },
  {
    why: 'the root stays, empty or not',
    steps: [remove('root', {}, refused(409, { code: 'rootIsFixed' })), there('root')],
  },
];
