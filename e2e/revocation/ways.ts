import type { CredentialKind } from '#contexts/identity';
import { STAFF } from '../access/callers.ts';
import { type RevocationWorld, type StreamCaller, TARGET } from './revocation-world.ts';

/** One way to lose access to a stream. */
export interface Way {
  readonly name: string;
  readonly credential: CredentialKind;
  /** The thing that the caller loses. Without credentials every stream ends; without a permission only the streams that need it end. */
  readonly takes: 'credentials' | 'permission';
  revoke(world: RevocationWorld, caller: StreamCaller): Promise<unknown>;
  /** Restores the world for the next way. */
  undo?(world: RevocationWorld): Promise<unknown>;
}

const account = ({ name }: StreamCaller): string => `/v1/workspaces/${STAFF}/service-accounts/${name}`;

/** In this order: after the last one the target is gone. */
export const WAYS: readonly Way[] = [
  {
    name: 'its token is deleted',
    credential: 'accountToken',
    takes: 'credentials',
    revoke: (world, caller) => world.admin('DELETE', `${account(caller)}/tokens/${caller.token}`),
  },
  {
    name: 'its token is rotated',
    credential: 'accountToken',
    takes: 'credentials',
    revoke: (world, caller) => world.admin('POST', `${account(caller)}/tokens/${caller.token}:rotate`, {}),
  },
  {
    name: 'its service account is disabled',
    credential: 'accountToken',
    takes: 'credentials',
    revoke: (world, caller) => world.admin('PATCH', account(caller), { disabled: true }),
  },
  {
    name: 'its service account is deleted',
    credential: 'accountToken',
    takes: 'credentials',
    revoke: (world, caller) => world.admin('DELETE', account(caller)),
  },
  {
    name: 'it logs out with the token of an issuer',
    credential: 'issuerToken',
    takes: 'credentials',
    revoke: (world, caller) => world.as(caller, 'POST', '/v1/logout'),
  },
  {
    name: 'it is logged out everywhere',
    credential: 'issuerToken',
    takes: 'credentials',
    revoke: (world, caller) => world.admin('POST', '/v1/sessions:revoke', { user: caller.subject?.id }),
  },
  {
    name: 'its issuer is removed',
    credential: 'issuerToken',
    takes: 'credentials',
    revoke: (world) => world.admin('DELETE', '/v1/issuers/corp'),
  },
  {
    name: 'it logs out of the CLI',
    credential: 'cliSession',
    takes: 'credentials',
    revoke: (world, caller) => world.as(caller, 'POST', '/v1/logout'),
  },
  {
    name: 'its session is deleted',
    credential: 'cliSession',
    takes: 'credentials',
    revoke: async (world, caller) => {
      const { items } = (await world.as(caller, 'GET', '/v1/sessions')) as {
        items: { uid: string; current: boolean }[];
      };
      await world.as(caller, 'DELETE', `/v1/sessions/${items.find(({ current }) => current)?.uid}`);
    },
  },
  {
    name: 'it logs out of the browser',
    credential: 'browserSession',
    takes: 'credentials',
    revoke: (world, caller) => world.as(caller, 'POST', '/v1/logout'),
  },
  {
    name: 'its grant is removed',
    credential: 'accountToken',
    takes: 'permission',
    revoke: (world, { grant }) => world.admin('DELETE', `/v1/workspaces/org/grants/${grant}`),
  },
  {
    name: 'its grant is removed, which a user of an issuer has',
    credential: 'issuerToken',
    takes: 'permission',
    revoke: (world, { grant }) => world.admin('DELETE', `/v1/workspaces/org/grants/${grant}`),
  },
  {
    name: 'its role becomes a smaller one',
    credential: 'accountToken',
    takes: 'permission',
    revoke: async (world, { grant, subject }) => {
      await world.admin('POST', '/v1/workspaces/org/grants', { subject, role: 'viewer' });
      await world.admin('DELETE', `/v1/workspaces/org/grants/${grant}`);
    },
  },
  {
    name: 'the target is moved to where it has nothing',
    credential: 'accountToken',
    takes: 'permission',
    revoke: (world) => world.admin('POST', `/v1/targets/${TARGET}:assign`, { workspace: 'elsewhere' }),
    undo: (world) => world.admin('POST', `/v1/targets/${TARGET}:assign`, { workspace: 'shop' }),
  },
  {
    name: 'the workspace of the target is moved to where it has nothing',
    credential: 'accountToken',
    takes: 'permission',
    revoke: (world) => world.admin('POST', '/v1/workspaces/shop:move', { parent: 'elsewhere' }),
    undo: (world) => world.admin('POST', '/v1/workspaces/shop:move', { parent: 'org' }),
  },
  {
    name: 'the target is deleted',
    credential: 'accountToken',
    takes: 'permission',
    revoke: (world) => world.admin('DELETE', `/v1/targets/${TARGET}?force=true`),
  },
];

/** Credentials that cannot be revoked while the platform runs, and why. */
export const WITHOUT_A_WAY: Readonly<Partial<Record<CredentialKind, string>>> = {
  adminToken: 'It is read from its file when the platform starts, and ends with the process.',
};
