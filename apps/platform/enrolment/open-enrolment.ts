import { readFileSync } from 'node:fs';
import {
  type Enrolment,
  enrolmentInTree,
  mergedBindings,
  openEnrolment as openContext,
  purgeTokens,
  type ReplicaEndpoints,
} from '#contexts/enrolment/adapters';
import type { AddonTypes } from '#contexts/targets';
import { targetPool } from '#contexts/targets/adapters';
import { workspacePlaces } from '#contexts/workspaces/adapters';
import type { HostPort } from '#kit/config';
import type { Sealer } from '#kit/sealing';
import { systemClock, uuidv7 } from '#kit/std';
import type { Storage, Transaction } from '#kit/storage';
import type { Logger } from '#kit/telemetry';
import type { Access } from '../access/open-access.ts';
import type { PlatformConfig } from '../config.ts';
import type { Purge } from '../maintenance.ts';
import { endpointsFor } from './fleetlet-endpoints.ts';
import { placeDirectory } from './place-directory.ts';
import { targetRegistrar } from './target-registrar.ts';

export interface OpenEnrolmentDeps {
  readonly config: PlatformConfig;
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly access: Pick<Access, 'catchUp' | 'visibility'>;
  readonly addonTypes: AddonTypes;
  /** The addresses it listens on, once it does. */
  readonly listening: () => { readonly https?: HostPort | undefined; readonly fleetlets?: HostPort | undefined };
  /** The endpoints of the other live replicas. */
  readonly otherReplicas: () => readonly ReplicaEndpoints[];
  /** The file of the CA of the platform's own certificate, if the platform made that CA itself. */
  readonly authorityFile: () => string | undefined;
  readonly log: Logger;
}

/** Opens enrolment, wired to its neighbouring contexts. */
export async function openEnrolment(deps: OpenEnrolmentDeps, signal: AbortSignal): Promise<Enrolment> {
  const { config, storage, sealer, access, addonTypes, listening, otherReplicas, authorityFile, log } = deps;
  const { fleetletCertificateTtl: ttlMs, fleetletRenewalGrace: graceMs, publicUrl, advertise, tlsName } = config;
  return await openContext(
    {
      storage,
      sealer,
      log: log.child({ component: 'enrolment' }),
      limits: { ttlMs, graceMs },
      visibility: access.visibility,
      targets: targetRegistrar(addonTypes),
      workspaces: placeDirectory,
      places: workspacePlaces,
      targetByUid: async (uid, until) => {
        const [target] = await storage.read((reader) => targetPool(reader).find([uid], until), until);
        return target;
      },
      endpoints: (host) =>
        endpointsFor({ host, publicUrl, advertise, tlsName, others: otherReplicas(), ...listening() }),
      serverAuthority: () => {
        const file = authorityFile();
        return file === undefined ? undefined : readFileSync(file, 'utf8');
      },
      // A target is visible to the caller's next request.
      targetsChanged: async (names, until) => {
        for (const name of names) await access.catchUp({ kind: 'target', name }, until);
      },
    },
    signal,
  );
}

/** Enrolment's part in deleting or moving workspaces and targets. */
export const ENROLMENT_IN_TREE = {
  contents: enrolmentInTree,
  moves: enrolmentInTree,
  targets: (tx: Transaction) => ({
    deleted: (gone: { readonly uid: string }, signal: AbortSignal) => enrolmentInTree(tx).targetDeleted(gone, signal),
  }),
  /** No target is registered here, so no addon types are needed. */
  merges: (tx: Transaction) =>
    mergedBindings(tx, {
      newId: uuidv7,
      targets: targetRegistrar({ has: async () => false }),
      workspaces: placeDirectory,
    }),
  workspaces: (tx: Transaction) => ({
    deleted: (gone: { readonly name: string }, signal: AbortSignal) =>
      enrolmentInTree(tx).workspaceDeleted(gone, signal),
  }),
};

export function enrolmentPurge(storage: Storage): Purge {
  return { name: 'bootstrap tokens', run: (signal) => purgeTokens(storage, systemClock.now(), signal) };
}
