import type { Precondition, Versioned } from '#kit/std';
import { EnrolmentError, fleetletNotFound } from '../domain/enrolment-error.ts';
import type { EnrolmentEventType } from '../domain/enrolment-event.ts';
import { builtIn, type Fleetlet, revoked, touched } from '../domain/fleetlet.ts';
import { isBelow } from '../domain/place.ts';
import type { Binding, UnitOfWork } from './ports.ts';

/** The fleetlet to change, the time, and the caller's condition on its version. */
export interface ChangeFleetlet {
  readonly name: string;
  readonly precondition: Precondition<Versioned>;
  readonly now: number;
  /** Receives the fleetlet as it was before. */
  readonly before: (shown: ShownFleetlet) => void;
}

export interface BindTarget extends ChangeFleetlet {
  readonly target: string;
}

export interface ShownFleetlet {
  readonly fleetlet: Fleetlet;
  readonly targets: readonly Binding[];
}

/** Commands on enrolled fleetlets. A command that changes nothing writes nothing and emits no event. */
export const fleetletService = {
  /** Permanent. The bindings stay on record, and the targets can be taken over. */
  async revoke(unit: UnitOfWork, command: ChangeFleetlet, signal: AbortSignal): Promise<ShownFleetlet> {
    const shown = await changeable(unit, command, signal);
    const fleetlet = revoked(shown.fleetlet, command.now);
    if (fleetlet === shown.fleetlet) return shown;
    return await keep(unit, { ...shown, fleetlet, type: 'fleetlet.revoked', now: command.now }, signal);
  },

  /** Revokes and deletes: its certificates then look like those of an unknown fleetlet, and are refused. */
  async delete(unit: UnitOfWork, command: ChangeFleetlet, signal: AbortSignal): Promise<Fleetlet> {
    const { fleetlet, targets } = await changeable(unit, command, signal);
    if (fleetlet.origin === undefined) throw builtIn();
    await unit.fleetlets.remove(fleetlet, signal);
    const event = {
      type: 'fleetlet.deleted',
      subject: { kind: 'fleetlet', fleetlet, targets },
    } as const;
    await unit.events.append([event], command.now, signal);
    return fleetlet;
  },

  /**
   * Only targets in the fleetlet's workspace or below: a caller that may see a fleetlet may then also see its targets.
   */
  async bind(unit: UnitOfWork, command: BindTarget, signal: AbortSignal): Promise<ShownFleetlet> {
    const shown = await changeable(unit, command, signal);
    if (shown.fleetlet.state === 'Revoked') throw isRevoked(shown.fleetlet);
    const found = await unit.targets.find(command.target, signal);
    const place = found && (await unit.workspaces.require(found.workspace, signal));
    if (found === undefined || place === undefined || !isBelow(place, shown.fleetlet.workspace)) {
      throw noSuchTarget(command.target, shown.fleetlet);
    }
    const binding = { uid: found.uid, name: found.name };
    if (!(await unit.bindings.bind(shown.fleetlet.uid, binding, signal))) return shown;
    return await rebound(unit, shown.fleetlet, command.now, signal);
  },

  async unbind(unit: UnitOfWork, command: BindTarget, signal: AbortSignal): Promise<ShownFleetlet> {
    const shown = await changeable(unit, command, signal);
    const bound = shown.targets.find(({ name }) => name === command.target);
    if (bound === undefined) return shown;
    await unit.bindings.unbind(shown.fleetlet.uid, bound.uid, signal);
    return await rebound(unit, shown.fleetlet, command.now, signal);
  },
};

async function rebound(unit: UnitOfWork, before: Fleetlet, now: number, signal: AbortSignal): Promise<ShownFleetlet> {
  const targets = await unit.bindings.targetsOf(before.uid, signal);
  return await keep(unit, { fleetlet: touched(before, now), targets, type: 'fleetlet.updated', now }, signal);
}

async function changeable(unit: UnitOfWork, command: ChangeFleetlet, signal: AbortSignal): Promise<ShownFleetlet> {
  const fleetlet = await unit.fleetlets.find(command.name, signal);
  if (fleetlet === undefined) throw fleetletNotFound(command.name);
  command.precondition.check(fleetlet);
  const shown = { fleetlet, targets: await unit.bindings.targetsOf(fleetlet.uid, signal) };
  command.before(shown);
  return shown;
}

interface Kept extends ShownFleetlet {
  readonly type: EnrolmentEventType;
  readonly now: number;
}

async function keep(unit: UnitOfWork, { fleetlet, targets, type, now }: Kept, signal: AbortSignal) {
  await unit.fleetlets.replace(fleetlet, signal);
  await unit.events.append([{ type, subject: { kind: 'fleetlet', fleetlet, targets } }], now, signal);
  return { fleetlet, targets };
}

function noSuchTarget(target: string, { name, workspace }: Fleetlet): EnrolmentError {
  return new EnrolmentError(
    'NO_SUCH_TARGET',
    `There is no target ${target} in workspace ${workspace.name} or below, to which the fleetlet ${name} could be bound.`,
    { faults: [{ path: '/target', message: 'does not exist there' }] },
  );
}

function isRevoked({ name }: Fleetlet): EnrolmentError {
  return new EnrolmentError('FLEETLET_REVOKED', `The fleetlet ${name} was revoked, and can no longer be bound.`);
}
