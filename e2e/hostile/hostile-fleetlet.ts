import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { DeliveryReportSchema, StatusMessageSchema } from '#protocol/proto';
import type { Platform } from '#testing/platform-process';
import {
  type EnrolledFleetlet,
  enrolledFleetlet,
  grpcOf,
} from '../../apps/platform/channels/testing/enrolled-fleetlet.ts';
import { ScriptedFleetlet } from '../../apps/platform/channels/testing/scripted-fleetlet.ts';

export const DEPLOYMENTS = '/v1/workspaces/root/deployments';

/** A fleetlet with one target, which reports whatever an attack wants. */
export interface HostileFleetlet {
  readonly enrolled: EnrolledFleetlet;
  readonly fleetlet: ScriptedFleetlet;
  /** Uid of its target. */
  readonly target: string;
  /** Uid of the deployment on that target. */
  readonly deployment: string;
  readonly report: (its: MessageInitShape<typeof DeliveryReportSchema>) => void;
}

export async function call<T = unknown>(platform: Platform, method: string, path: string, body?: object): Promise<T> {
  const answer = await platform.request(path, { method, ...(body === undefined ? {} : { body }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** Enrols, connects, and gets a deployment delivered to its target: a fleetlet needs one to report on. */
export async function hostileFleetlet(platform: Platform, name: string): Promise<HostileFleetlet> {
  const enrolled = await enrolFleetlet(platform, name);
  const { fleetlet, target } = await connectFleetlet(enrolled, name);
  const { uid: deployment } = await deployTo(platform, name);
  await mustBe(`the deployment on ${name}`, () => isAvailable(platform, `on-${name}`));
  const report = (its: MessageInitShape<typeof DeliveryReportSchema>): void => {
    const value = create(DeliveryReportSchema, { deploymentUid: deployment, ...its });
    const message = create(StatusMessageSchema, { message: { case: 'report', value } });
    if (!fleetlet.status.trySend({ payload: toBinary(StatusMessageSchema, message), target })) {
      throw new Error('the channel takes nothing more');
    }
  };
  return { enrolled, fleetlet, target, deployment, report };
}

export async function enrolFleetlet(platform: Platform, name: string): Promise<EnrolledFleetlet> {
  const api = {
    call: <T>(method: string, path: string, body?: unknown) => call<T>(platform, method, path, body as object),
  };
  return await enrolledFleetlet(api, [name]);
}

/** `after`: the previous connection of the same fleetlet, whose agent knows the orders it received. */
export async function connectFleetlet(enrolled: EnrolledFleetlet, name: string, after?: ScriptedFleetlet) {
  const fleetlet = new ScriptedFleetlet(grpcOf(enrolled), after && { after });
  const request = fleetlet.register(name);
  await mustBe(`${name} is accepted`, async () => fleetlet.answerTo(request)?.kind === 'targetAccepted');
  const answer = fleetlet.answerTo(request);
  const target = answer?.kind === 'targetAccepted' ? answer.target : '';
  fleetlet.inventory(target);
  return { fleetlet, target };
}

/** Deploys to that target alone. */
export async function deployTo(
  platform: Platform,
  target: string,
  name = `on-${target}`,
): Promise<{ readonly uid: string }> {
  return await call(platform, 'POST', DEPLOYMENTS, {
    name,
    manifest: { type: 'inline', documents: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hello' } }] },
    placement: [{ type: 'static', targets: [target] }],
    rollout: { type: 'immediate' },
  });
}

export async function isAvailable(platform: Platform, deployment: string): Promise<boolean> {
  type Shown = { readonly status: { readonly counts: { readonly available: number } } };
  return (await call<Shown>(platform, 'GET', `${DEPLOYMENTS}/${deployment}`)).status.counts.available === 1;
}

const POLL_MS = 50;
/** A healthy platform needs a fraction of a second. */
const SOON_MS = 15_000;

/** Whether the condition becomes true within the time. */
export async function comesTrue(condition: () => Promise<boolean>, withinMs = SOON_MS): Promise<boolean> {
  for (const end = Date.now() + withinMs; Date.now() < end; ) {
    if (await condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}

/** A precondition of the attack: without it the outcome would mean nothing. */
export async function mustBe(what: string, condition: () => Promise<boolean>): Promise<void> {
  if (!(await comesTrue(condition, 2 * SOON_MS))) throw new Error(`the attack could not be set up: ${what}`);
}
