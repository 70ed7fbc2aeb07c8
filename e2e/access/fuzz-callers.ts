import { leaveAdminCode } from '#contexts/identity/adapters';
import type { CallerSource, FuzzCaller } from '#testing/openapi/fuzz-callers';
import type { Platform } from '#testing/platform-process';
import { addDeployment } from './add-deployment.ts';
import { addCaller, type CallerWish, made } from './callers.ts';

/**
 * Hands out one caller of each role for a number of requests, then a new set: the requests themselves delete accounts,
 * grants and workspaces. The most powerful roles come more than once, because they create the objects that others then
 * find.
 */
export function fuzzCallers(platform: Platform, dataFolder: string): CallerSource {
  return async (turn) => {
    const staff = `staff-${turn}`;
    const area = `area-${turn}`;
    for (const name of [staff, area]) await made(platform, '/v1/workspaces', { name });
    const knows = await oneOfEach(platform, area);
    const callers: FuzzCaller[] = [];
    for (const wish of wishes(area)) {
      callers.push({ ...(await addCaller(platform, { ...wish, workspace: staff })), knows });
    }
    const admin: FuzzCaller = { name: 'the admin token', token: platform.token, knows };
    return [admin, admin, admin, admin, await adminSession(platform, dataFolder), ...callers];
  };
}

/** Creates one object of each kind, so that every operation has something to act on. */
async function oneOfEach(platform: Platform, workspace: string): Promise<Readonly<Record<string, string>>> {
  const target = `target-of-${workspace}`;
  await made(platform, '/v1/targets', { name: target, type: 'directory', workspace, labels: { env: 'prod' } });
  const grant = { name: 'kept', subject: { kind: 'user', id: 'somebody' }, role: 'viewer' };
  for (const on of [`workspaces/${workspace}`, `targets/${target}`]) await made(platform, `/v1/${on}/grants`, grant);
  const accounts = `/v1/workspaces/${workspace}/service-accounts`;
  await made(platform, accounts, { name: 'robot' });
  const { name: token } = await made(platform, `${accounts}/robot/tokens`, {});
  const { approval } = await addDeployment(platform, workspace);
  const deployed = { deployment: 'app', revision: '1', approval, score: 'load' };
  return { workspace, target, grant: 'kept', serviceAccount: 'robot', token: String(token), ...deployed };
}

function wishes(area: string): readonly CallerWish[] {
  const [onArea, onRoot] = [`workspaces/${area}`, 'workspaces/root'];
  return [
    { name: 'nobody' },
    { name: 'viewer', given: [{ role: 'viewer', on: onArea }] },
    { name: 'deployer', given: [{ role: 'deployer', on: onArea }] },
    { name: 'approver', given: [{ role: 'approver', on: onArea }] },
    { name: 'admin', given: [{ role: 'admin', on: onArea }] },
    { name: 'root-viewer', given: [{ role: 'viewer', on: onRoot }] },
    { name: 'instance-admin', given: [{ role: 'admin', on: onRoot }] },
    { name: 'instance-admin-in-area', given: [{ role: 'admin', on: onRoot }], scope: { within: onArea } },
    { name: 'instance-admin-who-looks', given: [{ role: 'admin', on: onRoot }], scope: { roles: ['viewer'] } },
  ];
}

/** The only caller with a session to list and to end. */
async function adminSession(platform: Platform, dataFolder: string): Promise<FuzzCaller> {
  const { code } = leaveAdminCode(dataFolder, Date.now());
  const answer = await platform.request('/v1/login:redeem', { method: 'POST', body: { code, kind: 'cli' } });
  const { token } = (await answer.json()) as { token?: string };
  if (token === undefined) throw new Error(`log in with a one-time code: ${answer.status}`);
  return { name: 'an admin session', token };
}
