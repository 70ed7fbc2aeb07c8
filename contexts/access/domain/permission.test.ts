import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseResourceName, parseUuid } from '#kit/std';
import { AccessIndex } from './access-index.ts';
import { askerOf } from './asker.ts';
import { PERMISSIONS } from './permission.ts';
import { ROLES, type Role } from './role.ts';

const ALL = Object.keys(PERMISSIONS);
const FOR_VIEWERS = [
  'workspaces.read',
  'targets.read',
  'kubeconfigs.read',
  'index.read',
  'indexSchemas.read',
  'scores.read',
  'deployments.read',
  'approvals.read',
  'fleetlets.read',
  'events.read',
  'usage.read',
];
const MORE: Readonly<Record<Exclude<Role, 'admin'>, readonly string[]>> = {
  viewer: [],
  deployer: ['create', 'update', 'delete', 'steer', 'preview'].map((verb) => `deployments.${verb}`),
  approver: ['approvals.answer'],
  'cluster-viewer': ['targets.proxyRead'],
  'cluster-editor': ['targets.proxyRead', 'targets.proxyWrite'],
};
const INSTANCE_WIDE =
  /^(approvals\.override$|targets\.passthrough$|tokens\.createAny$|(certificateAuthority|deadLetters|instance|issuers|metrics|permissionSchemas|replicas|sessions|workflows)\.)/;
const UIDS = { root: '1', web: '2' } as const;

test('viewers see, deployers deploy, approvers answer, only cluster roles reach clusters, and an admin has all of it', () => {
  for (const role of ROLES) {
    const want = role === 'admin' ? ALL : [...FOR_VIEWERS, ...MORE[role]];
    assert.deepEqual(permissionsOf(role, 'root').sort(), [...want].sort(), role);
  }
});

test('what is instance-wide takes admin on the root', () => {
  const inWeb = permissionsOf('admin', 'web');
  assert.deepEqual(
    ALL.filter((permission) => !inWeb.includes(permission)),
    ALL.filter((permission) => INSTANCE_WIDE.test(permission)),
  );
});

test('every name has a dot, which the names of addons cannot have', () => {
  for (const permission of ALL) assert.throws(() => parseResourceName(permission), { code: 'INVALID_NAME' });
});

/** The permissions that a holder of the role on the workspace has there. */
function permissionsOf(role: Role, name: keyof typeof UIDS): string[] {
  const index = new AccessIndex();
  index.apply({ kind: 'workspace', name: 'root', uid: UIDS.root, generation: 1, parent: undefined });
  index.apply({ kind: 'workspace', name: 'web', uid: UIDS.web, generation: 1, parent: 'root' });
  const resource = { kind: 'workspace', name, uid: UIDS[name] } as const;
  const subject = { kind: 'user', id: 'alice' } as const;
  const uid = parseUuid('00000000-0000-7000-8000-000000000001');
  const grant = { uid, name: parseResourceName('alice'), resource, subject, gives: { kind: 'role', role } } as const;
  index.apply({ kind: 'grant', grant });
  return ALL.filter((permission) => index.allows(askerOf(subject), { permission, resource }));
}
