import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Soak } from '#testing/soak';
import type { Side, Story, StoryEvent, WorldOptions } from '../testing/reliable-channel/channel-story.ts';
import { ChannelWorld } from '../testing/reliable-channel/channel-world.ts';

/** Two ends under random faults. fast-check finds the smallest schedule that breaks a rule. */
export const soak: Soak = {
  description: 'two ends of a channel under cuts, delays and restarts: none lost, none twice, in order, within bounds',
  defaultCount: 20_000,
  async run({ count, seed, signal, progress }) {
    let done = 0;
    const property = fc.property(schedule, (it) => {
      signal.throwIfAborted();
      runSchedule(it);
      done += 1;
      progress(Math.min(done, count));
    });
    fc.assert(property, { numRuns: count, seed });
  },
};

interface Schedule extends WorldOptions {
  readonly events: readonly StoryEvent[];
}

function runSchedule(it: Schedule): void {
  const world = play(it);
  for (const story of world.stories) isTrue(story, world);
  for (const side of [0, 1] as const) inOrder(world.stories.filter(({ from }) => from === side));
  assert.deepEqual(play(it).log, world.log, 'the same schedule, another run');
  if (it.mode === 'lossy') lossesAreCounted(world, it);
}

function play({ events, ...options }: Schedule): ChannelWorld {
  const world = new ChannelWorld(options);
  for (const it of events) world.apply(it);
  world.heal();
  return world;
}

function isTrue({ uid, from, life, settled, acked, handed }: Story, { ends, cameLate }: ChannelWorld): void {
  if (settled === 'acknowledged') assert.ok(acked, `${uid} counts as acknowledged, and was not`);
  if (settled === 'expired') assert.deepEqual(handed, [], `${uid} had expired, and was handed out`);
  // A late handshake of a dead incarnation makes both ends start over, and neither can tell what the other has received.
  const lives = new Set(handed.map((it) => it.life));
  assert.ok(cameLate || lives.size === handed.length, `${uid} was handed twice to one life`);
  for (const { redelivered } of handed.slice(1)) assert.ok(redelivered, `${uid} came again without its mark`);
  if (ends[from].life === life) assert.notEqual(settled, undefined, `${uid} is never settled`);
}

/**
 * Messages that one incarnation sent in one lane arrive for the first time in the order of sending; at each incarnation, and
 * over all of them.
 */
function inOrder(stories: readonly Story[]): void {
  const lanes = new Map<string, { readonly uid: number; readonly at: number }[]>();
  for (const { uid, life, lane, handed } of stories) {
    for (const to of ['any', ...new Set(handed.map((it) => it.life))]) {
      const first = handed.find((it) => to === 'any' || it.life === to);
      if (first !== undefined) lanes.getOrInsert(`${life} ${lane} ${to}`, []).push({ uid, at: first.at });
    }
  }
  for (const [name, lane] of lanes) {
    const uids = lane.toSorted((one, other) => one.at - other.at).map(({ uid }) => uid);
    assert.deepEqual(
      uids,
      uids.toSorted((one, other) => one - other),
      `in the lane ${name}`,
    );
  }
}

function lossesAreCounted(world: ChannelWorld, { events }: Schedule): void {
  if (world.cameLate || events.some((it) => it.do === 'restart')) return;
  for (const side of [0, 1] as const) {
    // The count is sent with the next message.
    world.send(side, { size: 4, lane: 0, ttl: 0 });
    world.heal();
    const sent = world.stories.filter(({ from, settled }) => from === side && settled !== 'expired');
    const { dropped } = world.ends[side].channel.buffered;
    const received = sent.filter(({ handed }) => handed.length > 0).length;
    assert.equal(received + dropped, sent.length, 'received and lost are not all that was sent');
    assert.equal(world.reportedLosses[side], dropped, 'the receiver was told of other losses');
  }
}

const side = fc.constantFrom<Side>(0, 1);
const size = fc.oneof(
  { weight: 5, arbitrary: fc.nat(4).map((n) => n + 4) },
  fc.nat(60).map((n) => n + 4),
);

const storyEvent: fc.Arbitrary<StoryEvent> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      side,
      size,
      lane: fc.nat(3),
      ttl: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat(20)),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('deliver' as const), side, count: fc.nat(8), oldest: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('ack' as const), side, which: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('tick' as const), side }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('connect' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('notice' as const), side }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('cut' as const), arrive: fc.tuple(fc.nat(6), fc.nat(6)) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(15) }) },
);
const restart = fc.record({ do: fc.constant('restart' as const), side });

const schedule: fc.Arbitrary<Schedule> = fc.record({
  mode: fc.constantFrom('reliable' as const, 'reliable' as const, 'lossy' as const),
  window: fc.record({ messages: fc.integer({ min: 1, max: 6 }), bytes: fc.integer({ min: 1, max: 40 }) }),
  buffer: fc.record({ messages: fc.integer({ min: 1, max: 10 }), bytes: fc.integer({ min: 8, max: 200 }) }),
  limits: fc.constant({ chunkBytes: 8, maxMessageBytes: 64, largeAtOnce: 2 }),
  pipe: fc.integer({ min: 1, max: 12 }),
  events: fc
    .tuple(
      fc.array(storyEvent, { minLength: 10, maxLength: 120, size: 'max' }),
      fc.array(fc.tuple(fc.nat(120), restart), { maxLength: 3 }),
    )
    .map(([events, restarts]) => restarts.reduce<StoryEvent[]>((all, [at, it]) => all.toSpliced(at, 0, it), events)),
});
