import { setTimeout as pause } from 'node:timers/promises';
import { PATIENCE_MS } from '#testing/patience';
import type { SeededRandom } from '#testing/seeded';
import { type FaultStep, makeFaultSchedule } from '../../testing/fault-proxy/fault-schedule.ts';
import { FlowCheck } from './check-flow.ts';
import type { End, FaultyWorld } from './faulty-world.ts';
import { ACCESS, CHANNELS, channelOf, FLOWS, flowName, LARGE_BYTES } from './flows.ts';
import type { Entry, JournalReader } from './journal.ts';

/** The fleetlet's window towards a local process bounds the messages waiting in it. */
const WINDOW = { messages: 256, bytes: 1024 * 1024, large: 2 };
const LONGEST_MS = 600;
const BURST = 8;
/** One question for so many messages: the next is asked when the answer is there. */
const QUESTIONS = 8;
const LOOK_MS = 25;

interface Schedule {
  readonly steps: readonly FaultStep[];
  readonly lastsMs: number;
  readonly kill: { readonly end: End; readonly afterMs: number } | undefined;
  /** Per flow. */
  readonly messages: number;
}

export function makeSchedule(random: SeededRandom): Schedule {
  const steps = makeFaultSchedule(random, { steps: random.integer(1, 2), longestMs: LONGEST_MS });
  const lastsMs = steps.reduce((sum, { afterMs, fault }) => sum + afterMs + ('ms' in fault ? fault.ms : 0), 0);
  const end = random.pick<End | undefined>(['platform', 'fleetlet', undefined, undefined, undefined, undefined]);
  const kill = end && { end, afterMs: random.integer(0, lastsMs) };
  return { steps, lastsMs, kill, messages: random.integer(10, 60) };
}

/** Plays schedules on one world and checks the outcome. */
export class FaultRun {
  readonly #world: FaultyWorld;
  readonly #readers: readonly JournalReader[];
  readonly #checks = new Map([...FLOWS.map(flowName), ACCESS].map((name) => [name, new FlowCheck(name)]));
  readonly #settled = new Map(FLOWS.map((flow) => [flowName(flow), 0]));
  readonly #upTo: Record<string, number> = {};
  #looks = 0;
  /**
   * Channels that were in use when the fleetlet or the platform was killed, and whose application has not heard of their return
   * yet.
   */
  readonly #silent = new Set<string>();

  constructor(world: FaultyWorld) {
    this.#world = world;
    this.#readers = Object.values(world.journals).map((journal) => journal.follow());
  }

  /** The number of channel buffers inspected so far. */
  get looks(): number {
    return this.#looks;
  }

  async play(schedule: Schedule, signal: AbortSignal): Promise<void> {
    const { messages, lastsMs, steps, kill } = schedule;
    for (const flow of FLOWS) this.#raise(flowName(flow), messages);
    this.#raise(ACCESS, Math.ceil(messages / QUESTIONS));
    const pauseMs = lastsMs / Math.ceil(messages / BURST);
    this.#world.reach({ upTo: this.#upTo, pauseMs });
    const over = new AbortController();
    const watching = this.#watch(AbortSignal.any([signal, over.signal]));
    // Always awaited at the end.
    watching.catch(() => {});
    try {
      await Promise.all([this.#world.proxy.play(steps, signal), this.#kill(kill, signal)]);
      await this.#untilAllIsThere(signal);
    } finally {
      over.abort();
      await watching;
    }
  }

  #raise(flow: string, messages: number): void {
    this.#upTo[flow] = (this.#upTo[flow] ?? 0) + messages;
  }

  async #kill(kill: Schedule['kill'], signal: AbortSignal): Promise<void> {
    if (kill === undefined) return;
    await pause(kill.afterMs, undefined, { signal });
    await this.#world.kill(kill.end);
    this.#look();
    for (const [flow, { count }] of this.#checks) if (count > 0) this.#silent.add(flow.split(':')[0] ?? flow);
    await this.#world.start(kill.end);
  }

  async #untilAllIsThere(signal: AbortSignal): Promise<void> {
    const late = Date.now() + PATIENCE_MS;
    for (;;) {
      this.#look();
      const missing = this.#missing();
      if (missing.length === 0) return;
      if (Date.now() > late) throw new Error(`did not arrive: ${missing.join('; ')}\n${this.#said()}`);
      if (this.#world.gone !== undefined) throw new Error(`${this.#world.gone} ended by itself\n${this.#said()}`);
      // A lossy channel may have lost its last messages; sending one more makes its latest message arrive.
      for (const flow of FLOWS) {
        if (channelOf(flow).mode === 'lossy') this.#raise(flowName(flow), 1);
      }
      this.#world.reach({ upTo: this.#upTo, pauseMs: 0 });
      await pause(LOOK_MS, undefined, { signal });
    }
  }

  /** A readable excerpt of the missing messages. */
  #missing(): string[] {
    const answered = this.#checks.get(ACCESS)?.count ?? 0;
    const asked = this.#upTo[ACCESS] ?? 0;
    return [
      ...(answered === asked ? [] : [`${ACCESS}: ${answered} answers to ${asked} questions`]),
      ...[...this.#silent].map((name) => `${name} never resumed`),
      ...this.#missingMessages(),
    ];
  }

  #missingMessages(): string[] {
    return FLOWS.flatMap((flow) => {
      const name = flowName(flow);
      const [check, upTo] = [this.#checks.get(name), this.#upTo[name] ?? 0];
      if (check === undefined) return [];
      if (channelOf(flow).mode === 'lossy')
        return check.last >= upTo - LOSSY_LAG ? [] : [`${name} is at ${check.last}`];
      if (check.count === upTo && this.#settled.get(name) === upTo) return [];
      return [`${name} ${check.missing(upTo).slice(0, 5).join(',')} of ${upTo}, settled ${this.#settled.get(name)}`];
    });
  }

  #look(): void {
    const wrong = this.#readers.flatMap((reader) => reader.next().flatMap((entry) => this.#judge(entry) ?? []));
    if (wrong.length > 0) throw new Error(`${wrong.slice(0, 10).join('\n')}\n${this.#said()}`);
  }

  #judge(entry: Entry): string | undefined {
    if (entry.kind === 'wrong') return entry.what;
    if (entry.kind === 'taken') return this.#checks.get(entry.flow)?.take(entry);
    if (entry.kind === 'resumed') this.#silent.delete(entry.channel);
    if (entry.kind === 'settled') this.#settled.set(entry.flow, (this.#settled.get(entry.flow) ?? 0) + 1);
    return undefined;
  }

  /** Checks that the fleetlet's buffers never exceed their limits. */
  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const metrics = await this.#world.metrics();
      if (metrics !== undefined) this.#looks += checkBounds(metrics);
      await pause(LOOK_MS * 4, undefined, { signal }).catch(() => {});
    }
  }

  #said(): string {
    return (['platform', 'fleetlet', 'local'] as const)
      .map((end) => `--- ${end} (${this.#world.transport})\n${this.#world.said(end)}`)
      .join('\n');
  }
}

/** The number of latest messages that may still be in flight at a check. */
const LOSSY_LAG = 20;

/** Returns the number of channels inspected. */
function checkBounds(metrics: string): number {
  for (const { name, shards } of CHANNELS) {
    const of = (what: string): number => {
      const line = new RegExp(`^fleetshift_fleetlet_channel_${what}\\{channel="${name}"\\} (\\d+)$`, 'm').exec(metrics);
      return Number(line?.[1] ?? 0);
    };
    const [kept, held, bytes] = [
      of('buffered_messages') + of('waiting_messages'),
      of('held_messages'),
      of('buffered_bytes'),
    ];
    const most = { messages: WINDOW.messages * shards, bytes: (WINDOW.bytes + WINDOW.large * LARGE_BYTES) * shards };
    if (kept > most.messages || held > most.messages || bytes > most.bytes) {
      throw new Error(`the fleetlet keeps too much of ${name}: ${kept} and ${held} messages, ${bytes} bytes`);
    }
  }
  return metrics.match(/^fleetshift_fleetlet_channel_buffered_messages\{/gm)?.length ?? 0;
}
