import { ALICE, given, got, patch, refused, remove, type Scenario, verb } from './steps.ts';

const DELETED = {
  status: 202,
  events: ['deployment.deleting web in emea'],
  triggers: [{ kind: 'delete', by: ALICE } as const],
};

export const DELETING: readonly Scenario[] = [
  {
    why: 'it is taken off its targets by plan: until then it is there, and says so',
    steps: [
      ...given('web'),
      remove(
        'web',
        {},
        { ...DELETED, has: { deleteTime: '2030-01-01T00:00:02.000Z', generation: 2, reconciling: true } },
      ),
      got('web', { deleteTime: '2030-01-01T00:00:02.000Z' }),
    ],
  },
  {
    why: 'asked for twice, it is deleted once',
    steps: [...given('web'), remove('web', {}, DELETED), remove('web', {}, { status: 202, has: { generation: 2 } })],
  },
  {
    why: 'nothing else can be changed of it then, and it can be abandoned',
    steps: [
      ...given('web'),
      verb('web:abandon', {}, refused(409, 'notDeleting')),
      remove('web', {}, DELETED),
      patch('web', { body: { labels: { a: 'b' } } }, refused(409, 'deploymentDeleting')),
      verb('web:rollback', { body: { revision: 1 } }, refused(409, 'deploymentDeleting')),
      verb('web:abandon', {}, { status: 200, triggers: [{ kind: 'abandon', by: ALICE }] }),
    ],
  },
  {
    why: 'a dry run and a stale If-Match leave it alone',
    steps: [
      ...given('web'),
      remove('web', { query: '?dryRun=true' }, { status: 202, has: { generation: 2 } }),
      remove('web', { headers: { 'if-match': '"9-000000000001"' } }, refused(412, 'preconditionFailed')),
      got('web', { generation: 1 }),
    ],
  },
  { why: 'what is not there cannot be deleted', steps: [remove('web', {}, refused(404, 'deploymentNotFound'))] },
];
