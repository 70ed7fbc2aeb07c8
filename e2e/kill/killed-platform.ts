import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '#kit/storage';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { type SeededRandom, seededRandom } from '#testing/seeded';
import { createOne, listWorkspaces, type Memory, recover } from './recover.ts';
import { Writer } from './writer.ts';

const WRITERS = ['ann', 'bob', 'cid', 'dee', 'eve', 'flo'];
const SHARED = 'shared';

/** When to kill a process: a time after its start, or a number of answers and a short delay later. */
type Moment =
  | { readonly kind: 'starting'; readonly afterMs: number }
  | { readonly kind: 'writing'; readonly afterAnswers: number; readonly thenMs: number };

/** One data folder and one database, whose processes are killed one after the other while clients write. */
export class KilledPlatform {
  readonly #home: PlatformHome;
  readonly #random: SeededRandom;
  readonly #memory: Memory = { attempts: [], lastSeen: undefined };

  private constructor(home: PlatformHome, seed: number) {
    this.#home = home;
    this.#random = seededRandom(seed);
  }

  static async create(engine: Engine, seed: number): Promise<KilledPlatform> {
    return new KilledPlatform(await platformHome(engine), seed);
  }

  async killOnce(): Promise<void> {
    const moment = drawMoment(this.#random);
    const starting = this.#home.spawn();
    if (moment.kind === 'starting') {
      await delay(moment.afterMs);
      await starting.kill();
      return;
    }
    const platform = await starting.ready();
    await recover(platform, this.#memory, this.#random);
    await this.#write(platform, moment);
  }

  /** Checks the state after the last kill. */
  async check(): Promise<void> {
    const platform = await this.#home.start();
    await recover(platform, this.#memory, this.#random);
    assert.equal((await platform.stop()).code, 0);
  }

  async dispose(): Promise<void> {
    await this.#home.dispose();
  }

  async #write(platform: Platform, { afterAnswers, thenMs }: Moment & { kind: 'writing' }): Promise<void> {
    const { attempts } = this.#memory;
    if (!attempts.some(({ write }) => write.name === SHARED)) await createOne(platform, attempts, SHARED);
    const workspaces = await listWorkspaces(platform);
    const enough = Promise.withResolvers<void>();
    let answersLeft = afterAnswers;
    const onAnswer = (): void => {
      answersLeft -= 1;
      if (answersLeft <= 0) enough.resolve();
    };
    const writers = WRITERS.map((name) => {
      const random = seededRandom(this.#random.integer(0, 2 ** 31));
      return new Writer({ name, random, workspaces, shared: SHARED, attempts, onAnswer });
    });
    const writing = Promise.all(writers.map((writer) => writer.run(platform)));
    // While the platform lives, a writer ends only on an unexpected answer.
    await Promise.race([enough.promise, writing]);
    await delay(thenMs);
    await platform.kill();
    await writing;
  }
}

function drawMoment(random: SeededRandom): Moment {
  if (random.next() < 0.1) return { kind: 'starting', afterMs: random.integer(0, 1_000) };
  return { kind: 'writing', afterAnswers: random.integer(0, 300), thenMs: random.integer(0, 10) };
}
