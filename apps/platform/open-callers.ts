import { readFileSync } from 'node:fs';
import type { AccessDecisions } from '#contexts/access';
import { type GrantDropper, tokenRightsIn } from '#contexts/access/adapters';
import {
  DEV_AUTH_WARNING,
  devAuthenticator,
  type Identity,
  type IssuerDial,
  openIdentity,
} from '#contexts/identity/adapters';
import type { Sealer } from '#kit/sealing';
import { FleetError } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { Logger } from '#kit/telemetry';
import { parseYaml } from '#kit/yaml';
import type { AdminToken } from '#runtime/instance/admin-token';
import { requireTarget, requireWorkspace } from './access/tree-resources.ts';
import type { PlatformConfig } from './config.ts';
import { PlatformError } from './platform-error.ts';

export interface OpenCallersDeps {
  readonly config: PlatformConfig;
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly adminToken: AdminToken | undefined;
  readonly dataFolder: string;
  readonly dial: IssuerDial;
  /** The URLs it listens on, once it does. */
  readonly urls: () => readonly string[];
  /** Bound the tokens that callers make. */
  readonly decisions: AccessDecisions;
  /** Drops the grants to a deleted service account. */
  readonly grants: Pick<GrantDropper, 'dropGrantsTo' | 'forget'>;
  readonly log: Logger;
}

/** Authentication: issuers, service accounts, sessions; and the development authenticator, where enabled. */
export function openCallers(deps: OpenCallersDeps): Identity {
  const { config, storage, adminToken, dataFolder, urls, grants, log } = deps;
  const { issuersFile, publicUrl, insecureDevAuth } = config;
  const identity = named(issuersFile, () =>
    openIdentity({
      storage,
      sealer: deps.sealer,
      dial: deps.dial,
      log,
      requireWorkspace,
      requireTarget,
      tokenRightsIn: (tx) => tokenRightsIn(tx, deps.decisions),
      accountDeletedIn:
        (tx) =>
        async ({ workspace, name, now }, signal) => {
          const subject = { kind: 'serviceAccount', id: `${workspace}/${name}` } as const;
          const dropped = await grants.dropGrantsTo(tx, { subject, now }, signal);
          return () => grants.forget(dropped);
        },
      dataFolder,
      origins: () => [...publicUrl.map(({ origin }) => origin), ...urls()],
      ...(adminToken === undefined ? {} : { adminToken: () => adminToken.token }),
      ...(issuersFile === undefined ? {} : { issuers: { raw: readIssuers(issuersFile), readText } }),
    }),
  );
  if (!insecureDevAuth) return identity;
  log.warn({}, DEV_AUTH_WARNING);
  const { authenticator } = identity;
  return {
    ...identity,
    // Explicit credentials still count, so that other users can be tried out.
    authenticator: {
      authenticate: async (credentials, signal) =>
        (await authenticator.authenticate(credentials, signal)) ??
        (credentials.bearer === undefined ? await devAuthenticator.authenticate(credentials, signal) : undefined),
    },
  };
}

/** Faults of an issuer are reported with the name of the file. */
function named(file: string | undefined, open: () => Identity): Identity {
  try {
    return open();
  } catch (cause) {
    if (file === undefined || !(cause instanceof FleetError) || cause.code !== 'INVALID_ISSUER') throw cause;
    const faults = cause.faults.map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
    const what = `the issuers in ${file} cannot be used: ${faults.join(', ')}; correct them and start again`;
    throw new PlatformError('ISSUERS_UNUSABLE', what, { cause, faults: cause.faults });
  }
}

function readText(file: string): string {
  return readFileSync(file, 'utf8');
}

function readIssuers(file: string): unknown {
  try {
    return parseYaml(readText(file));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PlatformError('ISSUERS_UNUSABLE', `the issuers in ${file} cannot be read: ${why}`, { cause });
  }
}
