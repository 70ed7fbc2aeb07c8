import assert from 'node:assert/strict';
import { ROLES } from '#contexts/access';
import type { Engine } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { type OpenapiDocument, type Operation, operationsOf } from '#testing/openapi/api-description';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import type { SeededRandom } from '#testing/seeded';
import { eachCase, type Soak, type SoakOptions } from '#testing/soak';
import { type Attempts, attemptsOf } from './attempt.ts';
import { addCaller, type Caller, type CallerWish, made, STAFF } from './callers.ts';
import { ANYWHERE } from './matrix-world.ts';
import type { Place } from './operation-cases.ts';
import { type View, wholeView } from './view/caller-view.ts';
import { Estate, type Step } from './view/estate.ts';
import { Faceless } from './view/faceless.ts';

export const soak: Soak = {
  description: 'whole views of the API, with and without things that the caller may not see: they are the same',
  defaultCount: 40,
  async run(options) {
    for (const engine of DATABASES) await compareViews(engine, options);
  },
};

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
    ...Array.from({ length: random.integer(2, 20) }, () => foreign.change()),
  ];
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
    await perform(world, [markStep(name)]);
    await untilAudited(world.platform, name);
    const view = await viewOf(world, { caller, name, mine });
    views.push(view);
    if (!isAmong) continue;
    await perform(
      world,
      Array.from({ length: 5 }, () => foreign.change()),
    );
    assertSame(view, await viewOf(world, { caller, name, mine }), `of ${name}, as more happens elsewhere`);
  }
  const [first, second] = views as [View, View];
  assertSame(first, second, `of ${name}, ${JSON.stringify(wish.given)} ${JSON.stringify(wish.scope ?? {})}`);
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
  const own = placeOf(name, token);
  const foreign = placeOf(`f${name}`, NO_TOKEN);
  const places = [
    own,
    foreign,
    placeOf(`nobody-has-${name}`, NO_TOKEN),
    { ...own, name: 'across', other: foreign.other },
  ];
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

/** So that the log of the caller's own things is complete: entries get their places soon after, and not at once. */
async function untilAudited(platform: Platform, name: string): Promise<void> {
  const signal = AbortSignal.timeout(20_000);
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

function placeOf(prefix: string, token: string): Place {
  const [room, den, target] = ['room', 'den', 'target'].map((what) => `${prefix}-${what}`) as [string, string, string];
  const params = { workspace: room, target, grant: 'kept', serviceAccount: 'robot', token, ...ANYWHERE };
  return { name: prefix, params, other: den, empty: `${prefix}-empty` };
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
