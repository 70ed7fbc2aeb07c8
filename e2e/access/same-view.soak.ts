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
  description: 'whole views of the API, with and without things that the caller may not see: they are the same',
  defaultCount: 40,
  async run(options) {
    for (const engine of DATABASES) await compareViews(engine, options);
  },
};

/** A workspace with a deployment of that name, which nobody but the test looks at. */
const WITNESS = 'witness';

/** Far more than one caller may ask in production. */
const FLAGS = ['--rate-limit', '1000000'];

interface World {
  readonly platform: Platform;
  readonly operations: readonly Operation[];
  readonly attempts: Attempts;
}

/**
 * Two platforms with the same things of the caller's; on one there are also foreign ones, made before, between and after
 * his. Whatever he asks, he is answered the same. Once more after even more foreign changes, he is answered just as before.
 *
 * What is for the whole instance is not foreign: issuers are public, as they are how one logs in, and so are the names
 * of permissions. And one answer does tell of what the caller may not see, as names of workspaces and targets, and slugs
 * of Domains, are unique in the instance: a create with one that is taken gets 409. It tells that the name is taken and
 * nothing else; `names-that-are-taken.e2e.test.ts` shows it.
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
  // Often in a folder that the caller cannot see, with foreign things beside his.
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

/** What goes on after the answers comes to its end; then the caller's last event is made, and all of it is on record. */
async function settle(world: World, name: string, estates: readonly Estate[]): Promise<void> {
  for (const { top } of estates) await untilAtRest(world.platform, top);
  await perform(world, [markStep(name)]);
  await untilAudited(world.platform, name);
}

/** Somebody who may see at least the top of his estate. */
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
  /** What the administrator was answered when the caller's own things were made. */
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

/** The last of the caller's own events, to be known by. */
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
 * Deployments hear of what happened to targets after the answer, and in about the order in which it happened. One that is
 * made meanwhile is told as well, and says that it was: so what happened before is to be over.
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

/** Deployments are planned, and rollouts begun, after the answer: until each has nothing to do, or waits for somebody. */
async function untilAtRest(platform: Platform, top: string): Promise<void> {
  // For somebody else than the platform, which starts what it planned.
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

/** So that the log of the caller's own things is complete: entries get their places soon after, and not at once. */
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

/** One that nobody has where there is none: it is told from all others, as a real one is. */
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

/** From a little before the first difference. */
function excerpt(text: string, other = ''): string {
  const at = [...text].findIndex((character, index) => character !== other[index]);
  const from = Math.max(0, (at < 0 ? Math.min(text.length, other.length) : at) - 150);
  return `…${text.slice(from, from + 600)}`;
}
