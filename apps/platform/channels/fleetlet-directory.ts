import type {
  Binding,
  FleetletDirectory,
  LinkPeer,
  ServedTarget,
  TargetClaim,
  TargetRefusal,
} from '#contexts/channels';
import type { FleetletAdmission, ShownIdentity } from '#contexts/enrolment';
import type { ReplicaEndpoints } from '#contexts/enrolment/adapters';
import { SAME_CLUSTER, type TargetReport, TargetService } from '#contexts/targets';
import { registrationFacts, targetUnitOfWork } from '#contexts/targets/adapters';
import { workspacePlaces } from '#contexts/workspaces/adapters';
import { type Clock, FleetError, foreignName, parseResourceName, uuidv7 } from '#kit/std';
import type { Storage } from '#kit/storage';

export interface FleetletDirectoryDeps {
  readonly enrolment: FleetletAdmission;
  readonly storage: Storage;
  readonly clock: Clock;
  /** The name and the release of this platform. */
  readonly platform: string;
  readonly version: string;
  /** A JWK in JSON. */
  readonly ticketKey: string;
  readonly replicas: () => readonly ReplicaEndpoints[];
}

/** The prefix of labels reported by agents, so that reported and user-set labels cannot overwrite each other. */
const REPORTED_PREFIX = 'agent.fleetshift.io/';
const CLUSTER_TYPE = 'kubernetes';

/** Adapts enrolment and targets to the ports of channels. */
export function fleetletDirectory(deps: FleetletDirectoryDeps): FleetletDirectory {
  const { enrolment, platform, version: platformVersion, ticketKey } = deps;
  const describe = describeTargets(deps);
  return {
    authenticate: async (peer, signal) => {
      const shown = shownBy(peer);
      if (shown === undefined) {
        const message =
          'No client certificate was presented. Enrol the fleetlet, and connect with the certificate from the enrolment.';
        return { kind: 'refused', reason: 'unauthenticated', message };
      }
      const known = await enrolment.recognise(shown, signal);
      // A close with the reason `superseded` would tell a fleetlet to reconnect unchanged.
      if (known.kind === 'refused')
        return { ...known, reason: known.reason === 'superseded' ? 'unauthenticated' : known.reason };
      const { fleetlet: uid, notBefore: issuedAt, notAfter, renewSoon } = known;
      return { kind: 'known', uid, issuedAt, notAfter, renewSoon };
    },
    bind: async (fleetlet, claim, signal) => {
      const bound = await enrolment.boundTarget(fleetlet, claim, signal);
      if (bound.kind === 'refused') return bound;
      const target = { uid: bound.uid, name: bound.name, type: bound.type };
      return await bindCluster(deps, { fleetlet, target, claim }, signal);
    },
    describe,
    welcome: async (_fleetlet, signal) => {
      const authorities = await enrolment.authorities(signal);
      return { platform, platformVersion, authorities, ticketKey };
    },
    replicas: () => deps.replicas().map(({ grpc = '', websocket = '' }) => ({ grpc, websocket })),
  };
}

interface ClaimedTarget {
  readonly fleetlet: string;
  readonly target: ServedTarget;
  readonly claim: TargetClaim;
}

/**
 * Refuses a cluster that another target has, unless the claimed target is an alias of that one. Only types whose agents
 * report an identity that a cluster keeps for life are looked at. Most registrations claim what the target holds
 * already, and write nothing.
 */
async function bindCluster(
  deps: FleetletDirectoryDeps,
  { fleetlet, target, claim }: ClaimedTarget,
  signal: AbortSignal,
): Promise<Binding> {
  const bound = { kind: 'bound', target } as const;
  if (target.type !== CLUSTER_TYPE || claim.instance === '') return bound;
  const identity = readName(claim.instance);
  if (identity === undefined) return refused('invalid', 'The identity of the cluster is no name.');
  const known = await deps.storage.read((reader) => registrationFacts(reader, target.uid), signal);
  if (known.aliasOf !== undefined) {
    return await bindAliased(deps, { fleetlet, name: known.aliasOf, type: target.type, identity }, signal);
  }
  if (known.identity.held === identity && known.identity.refused === undefined) return bound;
  const command = { name: parseResourceName(target.name), precondition: { check: () => {} }, identity };
  const next = await deps.storage.write(async (tx) => {
    const unit = targetUnitOfWork(tx, { newId: uuidv7, workspaces: workspacePlaces });
    return await reportingService().claimIdentity(unit, { ...command, now: deps.clock.now() }, signal);
  }, signal);
  return next.refused === undefined ? bound : refused('sameCluster', SAME_CLUSTER, next.issued);
}

/** The merge has bound the fleetlet to the other target, too; whoever unbinds it there ends this. */
async function bindAliased(
  { enrolment, storage }: FleetletDirectoryDeps,
  { fleetlet, name, type, identity }: Record<'fleetlet' | 'name' | 'type' | 'identity', string>,
  signal: AbortSignal,
): Promise<Binding> {
  const bound = await enrolment.boundTarget(fleetlet, { name, type }, signal);
  if (bound.kind === 'refused')
    return refused('notBound', 'The target is an alias of one that this fleetlet is not bound to.');
  const facts = await storage.read((reader) => registrationFacts(reader, bound.uid), signal);
  if (facts.identity.held === identity) return { kind: 'bound', target: { uid: bound.uid, name: bound.name, type } };
  return refused(
    'notBound',
    'The target is an alias of one that has another cluster. Delete the alias, and enrol the agent again.',
  );
}

function refused(reason: TargetRefusal, message: string, identity?: string): Binding {
  return { kind: 'refused', reason, message, identity };
}

function readName(text: string): string | undefined {
  try {
    return foreignName(text);
  } catch {
    return undefined;
  }
}

/** Reporting never registers targets, so no addon types are needed. */
function reportingService(): TargetService {
  return new TargetService({ newUid: uuidv7, addonTypes: { has: async () => false } });
}

/** TLS proves a certificate; behind a proxy that terminates TLS, a token signed with the same key does. */
function shownBy({ certificate, headers }: LinkPeer): ShownIdentity | undefined {
  if (certificate !== undefined) return { kind: 'certificate', der: certificate };
  const [, text] = /^Bearer ([^\s]+)$/i.exec(headers['authorization'] ?? '') ?? [];
  return text === undefined ? undefined : { kind: 'token', text };
}

function describeTargets({ storage, clock }: FleetletDirectoryDeps): FleetletDirectory['describe'] {
  const service = reportingService();
  return async ({ name: text }: ServedTarget, claim, signal) => {
    const report = reportOf(claim);
    if (typeof report === 'string') return report;
    const [name, precondition] = [parseResourceName(text), { check: () => {} }];
    try {
      await storage.write(async (tx) => {
        const unit = targetUnitOfWork(tx, { newId: uuidv7, workspaces: workspacePlaces });
        await service.report(unit, { name, precondition, now: clock.now(), report }, signal);
      }, signal);
      return undefined;
    } catch (error) {
      if (error instanceof FleetError && error.entry.category === 'invalid') return explained(error);
      throw error;
    }
  };
}

/** Returns the fault as text. */
function reportOf({ labels, properties, manifestTypes }: TargetClaim): TargetReport | string {
  const read = properties === '' ? {} : readObject(properties);
  if (read === undefined) return 'The properties are not a JSON object.';
  const reported = Object.entries(labels).map(([key, value]) => [`${REPORTED_PREFIX}${key}`, value] as const);
  return { labels: Object.fromEntries(reported), properties: read, advertisedManifestTypes: [...manifestTypes] };
}

function readObject(text: string): NonNullable<TargetReport['properties']> | undefined {
  try {
    const read: unknown = JSON.parse(text);
    const isObject = typeof read === 'object' && read !== null && !Array.isArray(read);
    return isObject ? (read as NonNullable<TargetReport['properties']>) : undefined;
  } catch {
    return undefined;
  }
}

function explained({ message, faults }: Pick<FleetError, 'message' | 'faults'>): string {
  return [message, ...faults.map(({ path, message: what }) => `${path} ${what}`)].join(' ');
}
