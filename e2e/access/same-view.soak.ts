import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ROLES } from '#contexts/access';
import type { Engine } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { type OpenapiDocument, type Operation, operationsOf } from '#testing/openapi/api-description';
import { PATIENCE_MS } from '#testing/patience';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import type { SeededRandom } from '#testing/seeded';
import { eachCase, type Soak, type SoakOptions } from '#testing/soak';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { addFleetlet } from './add-fleetlet.ts';
import { type Attempts, attemptsOf } from './attempt.ts';
import { addCaller, type Caller, type CallerWish, made, STAFF } from './callers.ts';
import { ANYWHERE } from './matrix-world.ts';
import type { Place } from './operation-cases.ts';
import { type View, wholeView } from './view/caller-view.ts';
import { DEPLOYMENT, Estate, type Step } from './view/estate.ts';
import { Faceless } from './view/faceless.ts';

export const soak: Soak = {
  description: 'complete views of the API, with and without objects that the caller may not see, must be equal',
  defaultCount: 40,
  async run(options) {
    for (const engine of DATABASES) await compareViews(engine, options);
  },
};

/** The name of a workspace, and of a deployment in it, that only the test itself reads. */
const WITNESS = 'witness';

/** Far above the production limit for one caller. */
const FLAGS = ['--rate-limit', '1000000'];

interface World {
  readonly platform: Platform;
  readonly operations: readonly Operation[];
  readonly attempts: Attempts;
}

/**
 * Sets up two platforms with the same objects for the caller; one also has foreign objects, created before, between and
 * after the caller's. Both must give the same answer to every request of the caller. After further foreign changes, the
 * answers must still be the same.
 *
 * Instance-wide data is not foreign: issuers are public because logging in requires them, and so are permission names.
 * One answer does reveal something the caller may not see. Workspace names, target names and Domain slugs are unique in
 * the instance, so a create with a taken name gets 409. It reveals that the name is taken and nothing else; see
 * `names-that-are-taken.e2e.test.ts`.
 */
export async function compareViews(engine: Engine, options: SoakOptions): Promise<void> {
  const homes: PlatformHome[] = [];
  const start = async (): Promise<World> => {
    const home = await platformHome(engine);
    homes.push(home);
    const platform = await home.start({ flags: FLAGS });
    await made(platform, '/v1/workspaces', { name: STAFF });
    await made(platform, '/v1/workspaces', { name: WITNESS });
    await made(platform, `/v1/workspaces/${WITNESS}/deployments`, { ...DEPLOYMENT, name: WITNESS });
    const document = (await (await platform.request('/openapi.json')).json()) as OpenapiDocument;
    return { platform, operations: operationsOf(document), attempts: attemptsOf(document) };
  };
  try {
    const [alone, among] = [await start(), await start()];
    await eachCase(options, async ({ seed, random }) => compareOne({ alone, among, random, name: `r${seed}` }));
  } finally {
    await Promise.all(homes.map((home) => home.dispose()));
  }
}

interface Comparison {
  readonly alone: World;
  readonly among: World;
  readonly random: SeededRandom;
  readonly name: string;
}

async function compareOne({ alone, among, random, name }: Comparison): Promise<void> {
  const own = new Estate(name, random);
  const foreign = new Estate(`f${name}`, random);
  // Often below a folder that the caller cannot see, with foreign objects next to the caller's.
  const parent = random.pick(['root', `${name}-above`]);
  const above = { path: '/v1/workspaces', init: { method: 'POST', body: { name: `${name}-above` } } };
  const begin = own.begin(parent);
  const changes = Array.from({ length: random.integer(2, 12) }, () => own.change());
  const foreignSteps = [
    ...(random.next() < 0.5 ? Estate.earlier(name, parent) : []),
    ...foreign.begin(parent),
    foreign.deploy(),
    ...foreignChanges(foreign, random.integer(2, 20), random),
  ];
  const deploy = own.deploy();
  const wish = wishFor(name, random);
  const views: View[] = [];
  for (const world of [alone, among]) {
    const isAmong = world === among;
    const left = isAmong ? [...foreignSteps] : [];
    await perform(world, [above, ...left.splice(0, 8)]);
    const mine = await perform(world, begin);
    const caller = await addCaller(world.platform, wish);
    for (const step of changes) {
      await perform(world, left.splice(0, 2));
      mine.push(...(await perform(world, [step])));
    }
    await perform(world, left);
    if (isAmong) await addFleetlet(world.platform, `f${name}-room`, `f${name}-edge`);
    await addFleetlet(world.platform, `${name}-room`, `${name}-edge`);
    await untilNoticed(world.platform, name);
    mine.push(...(await perform(world, [deploy])));
    await settle(world, name, isAmong ? [own, foreign] : [own]);
    const view = await viewOf(world, { caller, name, mine });
    views.push(view);
    if (!isAmong) continue;
    await perform(world, foreignChanges(foreign, 5, random));
    assertSame(view, await viewOf(world, { caller, name, mine }), `of ${name}, as more happens elsewhere`);
  }
  const [first, second] = views as [View, View];
  assertSame(first, second, `of ${name}, ${JSON.stringify(wish.given)} ${JSON.stringify(wish.scope ?? {})}`);
}

function foreignChanges(foreign: Estate, length: number, random: SeededRandom): Step[] {
  return Array.from({ length }, () => (random.next() < 0.3 ? foreign.changeDeployment() : foreign.change()));
}

/** Waits for background work to finish, makes the caller's last event, and waits until everything is in the audit log. */
async function settle(world: World, name: string, estates: readonly Estate[]): Promise<void> {
  for (const { top } of estates) await untilAtRest(world.platform, top);
  await perform(world, [markStep(name)]);
  await untilAudited(world.platform, name);
}

/** A caller that may see at least the top of its estate. */
function wishFor(name: string, random: SeededRandom): CallerWish {
  const on = `workspaces/${name}-top`;
  const given = [{ role: random.pick(ROLES), on }];
  const scope = random.pick([undefined, undefined, { roles: [random.pick(ROLES)] }, { within: on }]);
  return { name, given, ...(scope === undefined ? {} : { scope }) };
}

async function perform({ platform }: World, steps: readonly Step[]): Promise<string[]> {
  const answers: string[] = [];
  for (const { path, init } of steps) {
    const answer = await platform.request(path, init);
    assert.ok(answer.status < 500, path);
    answers.push(`${answer.status} ${await answer.text()}`);
  }
  return answers;
}

interface Asked {
  readonly caller: Caller;
  readonly name: string;
  /** The answers to the administrator when the caller's own objects were created. */
  readonly mine: readonly string[];
}

async function viewOf(world: World, { caller, name, mine }: Asked): Promise<View> {
  const token = /"name":"([a-z2-7]{16})"/.exec(mine.join())?.[1] ?? '';
  const own = await placeOf(world.platform, name, token);
  const foreign = await placeOf(world.platform, `f${name}`, NO_TOKEN);
  const nowhere = await placeOf(world.platform, `nobody-has-${name}`, NO_TOKEN);
  const places = [own, foreign, nowhere, { ...own, name: 'across', other: foreign.other }];
  const view = await wholeView({ ...world, token: caller.token, places, lastEvent: markOf(name) });
  const faceless = new Faceless();
  return new Map(
    [['made', mine.join('\n')] as const, ...view].map(([asked, answer]) => [faceless.of(asked), faceless.of(answer)]),
  );
}

/** Makes the last of the caller's own events, recognizable as such. */
function markStep(name: string): Step {
  return {
    path: `/v1/workspaces/${name}-top`,
    init: { method: 'PATCH', body: { labels: { mark: markOf(name) } } },
  };
}

function markOf(name: string): string {
  return `mark-${name}`;
}

interface Deployed {
  readonly generation: number;
  readonly observedGeneration: number;
  readonly reconciling: boolean;
  readonly deleteTime?: string;
  readonly status: {
    readonly counts: { readonly placed: number };
    readonly rollout?: { readonly waits: readonly { readonly kind: string }[] };
  };
}

/**
 * Deployments learn of target changes after the answer, roughly in the order of the changes. A new target is also placed
 * on the witness deployment; once its count shows that, the earlier changes have been processed.
 */
async function untilNoticed(platform: Platform, name: string): Promise<void> {
  const placed = async (): Promise<number> => {
    const answer = await platform.request(`/v1/workspaces/${WITNESS}/deployments/${WITNESS}`);
    return ((await answer.json()) as Deployed).status.counts.placed;
  };
  for (const round of [1, 2]) {
    const before = await placed();
    await made(platform, '/v1/targets', { name: `${WITNESS}-${name}-${round}`, type: 'directory', workspace: WITNESS });
    await eventually('a new target to be noticed', async () => (await placed()) > before);
  }
}

/**
 * Deployments are planned and rollouts started after the answer. Waits until each deployment is idle or waits for an
 * actor other than the platform.
 */
async function untilAtRest(platform: Platform, top: string): Promise<void> {
  // Waits of kind `start` are excluded: the platform itself ends those.
  const isWaiting = ({ rollout: { waits } = { waits: [] } }: Deployed['status']): boolean =>
    waits.length > 0 && waits.every(({ kind }) => kind !== 'start');
  const isAtRest = ({ generation, observedGeneration, reconciling, deleteTime, status }: Deployed): boolean =>
    deleteTime !== undefined || (observedGeneration === generation && (!reconciling || isWaiting(status)));
  await eventually(`the deployments of ${top} to come to a rest`, async () => {
    const page = await platform.request(`/v1/workspaces/${top}/deployments?subtree=true&pageSize=1000`);
    const { items } = (await page.json()) as { items: Deployed[] };
    return items.length > 0 && items.every(isAtRest);
  });
}

/**
 * Waits until the log of the caller's own objects is complete: entries join the chain shortly after the request, not with
 * it.
 */
async function untilAudited(platform: Platform, name: string): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const path = `/v1/workspaces/${name}-top`;
  for (;;) {
    const { pending } = (await (
      await platform.request('/v1/audit:verify', { method: 'POST', body: {}, signal })
    ).json()) as { pending: number };
    const page = await platform.request(`/v1/audit?resource=${path}&pageSize=1`, { signal });
    const { items } = (await page.json()) as { items: { operation: string }[] };
    if (pending === 0 && items.length > 0) return;
  }
}

const NO_TOKEN = 'aaaaaaaaaaaaaaaa';

async function placeOf(platform: Platform, prefix: string, token: string): Promise<Place> {
  const [room, den, target] = ['room', 'den', 'target'].map((what) => `${prefix}-${what}`) as [string, string, string];
  const approval = await approvalIn(platform, room);
  const enrolled = { bootstrapToken: 'kept', fleetlet: `${prefix}-edge` };
  const params = {
    ...ANYWHERE,
    workspace: room,
    target,
    approval,
    grant: 'kept',
    serviceAccount: 'robot',
    token,
    ...enrolled,
  };
  return { name: prefix, params, other: den, empty: `${prefix}-empty` };
}

/** An open approval, or a random uid where there is none; comparisons mask both in the same way. */
async function approvalIn(platform: Platform, workspace: string): Promise<string> {
  const page = await platform.request(`/v1/workspaces/${workspace}/approvals`);
  const { items = [] } = (await page.json()) as { items?: readonly { uid: string }[] };
  return items[0]?.uid ?? randomUUID();
}

function assertSame(left: View, right: View, what: string): void {
  const differing = [...left].flatMap(([asked, answer]) => {
    const other = right.get(asked);
    return other === answer ? [] : [`${asked}\n  was ${excerpt(answer, other)}\n  is  ${excerpt(other ?? '', answer)}`];
  });
  assert.equal(differing.length, 0, `the view ${what}:\n${differing.slice(0, 5).join('\n')}`);
  assert.deepEqual([...right.keys()], [...left.keys()]);
}

/** Starts shortly before the first difference. */
function excerpt(text: string, other = ''): string {
  const at = [...text].findIndex((character, index) => character !== other[index]);
  const from = Math.max(0, (at < 0 ? Math.min(text.length, other.length) : at) - 150);
  return `…${text.slice(from, from + 600)}`;
}
