import type { TargetId } from '#protocol/targets';
import { aRow } from '../a-row.ts';
import { CREATION, DRAFT, EMEA, given, meanwhile, refused, remove, type Scenario, verb } from './steps.ts';

const ALL = '/v1/deployments';
const inWorkspace = (workspace: string, name: string) => ({
  call: `POST /v1/workspaces/${workspace}/deployments`,
  body: { ...DRAFT, name },
  want: { status: 201, events: [`deployment.created ${name} in ${workspace}`], triggers: [CREATION] },
});
const listed = (url: string, ...names: readonly string[]) => ({ call: `GET ${url}`, want: { status: 200, names } });
const seen = (as: string, url: string, ...names: readonly string[]) => ({
  ...listed(url, ...names),
  headers: { authorization: `Bearer ${as}` },
});
const WORLD = [
  ...given('web', 'api'),
  inWorkspace('shop', 'till'),
  inWorkspace('apac', 'web'),
  inWorkspace('root', 'agent'),
];

export const READING: readonly Scenario[] = [
  {
    why: 'a list has those directly in the workspace, or on any level, by workspace and name',
    steps: [
      ...WORLD,
      listed(EMEA, 'api', 'web'),
      listed(`${EMEA}?subtree=true`, 'api', 'web', 'till'),
      listed('/v1/workspaces/nowhere/deployments'),
      listed('/v1/workspaces/root/deployments?subtree=true', 'web', 'api', 'web', 'agent', 'till'),
    ],
  },
  {
    why: 'across workspaces a list has what the caller may see, and no more',
    steps: [
      ...WORLD,
      listed(ALL, 'web', 'api', 'web', 'agent', 'till'),
      seen('sees.emea', ALL, 'api', 'web', 'till'),
      seen('sees.shop.apac', ALL, 'web', 'till'),
      seen('sees.nowhere', ALL),
      seen('sees', ALL),
    ],
  },
  {
    why: 'pages go on where the last one ended, also between workspaces',
    steps: [
      ...WORLD,
      listed(`${ALL}?pageSize=2`, 'web', 'api'),
      listed(`${ALL}?pageSize=2&pageToken={nextPageToken}`, 'web', 'agent'),
      listed(`${ALL}?pageSize=2&pageToken={nextPageToken}`, 'till'),
    ],
  },
  {
    why: 'a filter is CEL',
    steps: [
      ...WORLD,
      verb('web:pause', {}, { status: 200, events: ['deployment.updated web in emea'] }),
      listed(`${ALL}?filter=${encodeURIComponent('rolloutState == "paused"')}`, 'web'),
      listed(`${ALL}?filter=${encodeURIComponent('name.startsWith("a") && workspace == "emea"')}`, 'api'),
      listed(
        `${ALL}?filter=${encodeURIComponent('reconciling && revision == 0')}`,
        'web',
        'api',
        'web',
        'agent',
        'till',
      ),
      { call: `GET ${ALL}?filter=colour`, want: refused(400, 'invalidFilter') },
    ],
  },
  {
    why: 'how it stands on each target is a list of its own, of those that lose it too',
    steps: [
      ...given('web'),
      meanwhile('web', async (unit, { uid: deployment }, signal) => {
        const other = { target: 'edge-2-uid' as TargetId, name: 'edge-2' };
        const failure = { reason: 'Rejected', message: 'no', revision: 1 } as const;
        await unit.targets.put(
          [aRow({ deployment }), aRow({ deployment, ...other, isPlaced: false, failure })],
          signal,
        );
      }),
      listed(`${EMEA}/web/targets`, 'edge-1', 'edge-2'),
      listed(`${EMEA}/web/targets?pageSize=1`, 'edge-1'),
      listed(`${EMEA}/web/targets?pageSize=1&pageToken={nextPageToken}`, 'edge-2'),
      listed(`${EMEA}/web/targets?filter=${encodeURIComponent('!placed')}`, 'edge-2'),
      listed(`${EMEA}/web/targets?filter=${encodeURIComponent('failure.reason == "Rejected"')}`, 'edge-2'),
      {
        call: `GET ${EMEA}/web/targets?pageSize=1`,
        want: {
          status: 200,
          has: {
            items: [
              {
                target: 'edge-1',
                uid: 'edge-1-uid',
                placed: true,
                online: true,
                applied: { revision: 1, hash: 'sha256:1' },
                health: { status: 'Available', revision: 1, message: '' },
                owed: false,
                drift: [],
              },
            ],
          },
        },
      },
      { call: `GET ${EMEA}/api/targets`, want: refused(404, 'deploymentNotFound') },
    ],
  },
  {
    why: 'an answer that the caller has already is not sent again',
    steps: [
      ...given('web'),
      {
        call: `GET ${EMEA}/web`,
        headers: { 'if-none-match': '"1-000000000001"' },
        want: { status: 304 },
      },
      remove(
        'web',
        {},
        { status: 202, events: ['deployment.deleting web in emea'], triggers: [{ kind: 'delete', by: 'user:alice' }] },
      ),
      { call: `GET ${EMEA}/web`, headers: { 'if-none-match': '"1-000000000001"' }, want: { status: 200 } },
      { call: `GET ${EMEA}/hidden`, want: refused(404, 'deploymentNotFound') },
    ],
  },
];
