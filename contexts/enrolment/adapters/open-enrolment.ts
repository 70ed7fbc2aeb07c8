import type { Route } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import {
  type Clock,
  parseResourceName,
  sleep as realSleep,
  type Sleep,
  secretSource,
  systemClock,
  type Uuid,
  uuidv7,
} from '#kit/std';
import type { Storage, Transaction } from '#kit/storage';
import { foundAuthority } from '../application/authority-service.ts';
import { BootstrapTokenService } from '../application/bootstrap-token-service.ts';
import { EnrolService, useCertificate } from '../application/enrol-service.ts';
import type { FleetletAdmission, LiveSessions } from '../application/fleetlet-admission.ts';
import type { TargetRegistrar, UnitOfWork, WorkspaceDirectory } from '../application/ports.ts';
import { EMBEDDED_NAME, newFleetlet } from '../domain/fleetlet.ts';
import { runAuthorityRenewal } from './authority-renewal.ts';
import type { EnrolmentLog } from './enrolment-log.ts';
import type { EnrolmentParts } from './enrolment-parts.ts';
import { FleetletGate, type FleetletGateDeps } from './fleetlet-gate.ts';
import { bootstrapTokenRoutes } from './http/http-bootstrap-tokens.ts';
import { certificateAuthorityRoutes } from './http/http-certificate-authority.ts';
import { enrolRoutes } from './http/http-enrol.ts';
import { fleetletRoutes } from './http/http-fleetlets.ts';
import { CertificateAuthorities, type Sealer } from './pki/certificate-authorities.ts';
import { SessionWatch } from './session-watch.ts';
import { CHANGED_TOPIC } from './sql/changed-topic.ts';
import { SqlEnrolmentReader, type SqlEnrolmentReaderDeps } from './sql/sql-enrolment-reader.ts';
import { enrolmentUnitOfWork } from './sql/sql-unit-of-work.ts';

export interface EnrolmentDeps
  extends Pick<EnrolmentParts, 'visibility' | 'endpoints' | 'serverAuthority' | 'targetsChanged' | 'limits'> {
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly log: EnrolmentLog;
  /** The neighbouring contexts, within the same transaction. */
  readonly targets: (tx: Transaction) => TargetRegistrar;
  readonly workspaces: (tx: Transaction) => WorkspaceDirectory;
  readonly places: SqlEnrolmentReaderDeps['places'];
  readonly targetByUid: FleetletGateDeps['targetByUid'];
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly newUid?: () => Uuid;
}

/** Enrolment of machines: all parts of this context that a platform needs, wired. */
export interface Enrolment extends FleetletAdmission {
  /** The fleetlet inside the platform, which needs no certificate. */
  readonly embedded: Uuid;
  readonly routes: readonly Route[];
  readonly runnables: readonly Runnable[];
  /** Sessions of revoked fleetlets are ended there from now on. */
  watch(sessions: LiveSessions): void;
  close(): void;
}

/** Creates what every instance needs, if missing: an authority, and the fleetlet inside the platform. */
export async function openEnrolment(deps: EnrolmentDeps, signal: AbortSignal): Promise<Enrolment> {
  const { storage, log, clock = systemClock, sleep = realSleep } = deps;
  const { parts, watch, sessions } = makeParts(deps, sleep);
  const { gate, authorities, reader } = parts;
  const embedded = await makeFirst(deps, parts, signal);
  const stop = storage.onAnnounced(CHANGED_TOPIC, () => {
    gate.forget();
    watch.raise();
  });
  await authorities.signer(signal);
  log.info({ name: (await reader.authorities(signal)).at(-1)?.name ?? '' }, 'fleetlets can enrol');
  return {
    embedded,
    routes: [
      ...bootstrapTokenRoutes(parts),
      ...enrolRoutes(parts),
      ...fleetletRoutes(parts),
      ...certificateAuthorityRoutes(parts),
    ],
    runnables: [
      { name: 'fleetlet revocation', run: (until) => watch.run(until) },
      { name: 'fleetlet authority', run: (until) => runAuthorityRenewal({ ...parts, clock, sleep, log }, until) },
    ],
    vouches: (der) => gate.vouches(der),
    recognise: (shown, until) => gate.recognise(shown, until),
    boundTarget: (fleetlet, target, until) => gate.boundTarget(fleetlet, target, until),
    authorities: (until) => gate.authorities(until),
    watch: (live) => {
      sessions.live = live;
      watch.raise();
    },
    close: stop,
  };
}

/**
 * Limits the wait for an unresponsive database; other processes notice the change by themselves when their caches
 * expire.
 */
const TELL_MS = 5_000;

interface Made {
  readonly parts: EnrolmentParts;
  readonly watch: SessionWatch;
  readonly sessions: { live?: LiveSessions };
}

function makeParts(deps: EnrolmentDeps, sleep: Sleep): Made {
  const { storage, sealer, log, limits, clock = systemClock, newUid = uuidv7, places } = deps;
  const reader = new SqlEnrolmentReader({ storage, places });
  const unit = unitIn(deps, newUid);
  const authorities = new CertificateAuthorities({
    read: (signal) => reader.authorities(signal),
    sealer,
    newUid,
    clock,
  });
  const gate = new FleetletGate({
    authorities,
    fleetletByUid: async (uid, signal) => (await reader.fleetlet({ uid }, signal))?.fleetlet,
    boundTo: (fleetlet, target, signal) => reader.boundTo(fleetlet, target, signal),
    targetByUid: deps.targetByUid,
    use: async (fleetlet, shown, signal) =>
      await storage.write(async (tx) => (await useCertificate(unit(tx), { fleetlet, shown }, signal))?.inUse, signal),
    limits,
    clock,
  });
  const sessions: Made['sessions'] = {};
  const fleetletsByUid: SqlEnrolmentReader['fleetletsByUid'] = (uids, signal) => reader.fleetletsByUid(uids, signal);
  const watch = new SessionWatch({ sessions: () => sessions.live, fleetletsByUid, sleep, log });
  const parts: EnrolmentParts = {
    ...deps,
    reader,
    authorities,
    gate,
    unit,
    tokens: new BootstrapTokenService(secretSource),
    enrol: new EnrolService({ newUid, secrets: secretSource, limits }),
    changed: () => {
      gate.forget();
      watch.raise();
      // The transaction notified this process only.
      storage
        .announce(CHANGED_TOPIC, AbortSignal.timeout(TELL_MS))
        .catch((err: unknown) =>
          log.warn({ err }, 'revocation not announced; other processes apply it when their caches expire'),
        );
    },
  };
  return { parts, watch, sessions };
}

function unitIn({ targets, workspaces }: EnrolmentDeps, newId: () => Uuid): (tx: Transaction) => UnitOfWork {
  return (tx) => enrolmentUnitOfWork(tx, { newId, targets, workspaces });
}

/** If two processes start for the first time at once, the first commit wins. */
async function makeFirst(
  { storage, clock = systemClock, newUid = uuidv7 }: EnrolmentDeps,
  { unit, authorities, reader }: EnrolmentParts,
  signal: AbortSignal,
): Promise<Uuid> {
  const now = clock.now();
  if ((await reader.authorities(signal)).length === 0) {
    const made = await authorities.make(signal);
    await storage.write((tx) => foundAuthority(unit(tx), { made, now }, signal), signal);
    authorities.forget();
  }
  return await storage.write(async (tx) => {
    const inside = unit(tx);
    const known = await inside.fleetlets.find(EMBEDDED_NAME, signal);
    if (known !== undefined) return known.uid;
    const name = parseResourceName(EMBEDDED_NAME);
    const workspace = await inside.workspaces.require('root', signal);
    const its = { uid: newUid(), name, workspace, origin: undefined, certificate: undefined };
    const fleetlet = newFleetlet(its, now);
    await inside.fleetlets.insert(fleetlet, signal);
    return fleetlet.uid;
  }, signal);
}
