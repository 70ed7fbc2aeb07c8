import { seededRandom } from '#testing/seeded';
import { type Soak, SoakCaseFailure, type SoakOptions } from '#testing/soak';
import { DoorWorld } from '../apps/platform/api-proxy/testing/door-world.ts';
import { type Conversation, conversationOf } from './proxy-framing/conversation.ts';
import { checkAnswers, converse, Register, recordedCases } from './proxy-framing/converse.ts';
import { RECORDED } from './proxy-framing/place.ts';
import { findRecordingServer, type RecordingServer, startRecordingServer } from './proxy-framing/recording-server.ts';

/** Conversations at a time. */
const WIDTH = 16;
const BATCH = 64;
/** High enough that neither these limits nor the rate limit per address plays a role. */
const LIMITS = { perCaller: 1_000, perTarget: 1_000 };

export const soak: Soak = {
  description:
    'requests framed in every way through door, tunnel and agent to a server on net/http, which sees the allowed requests and nothing else',
  defaultCount: 20_000,
  async run(options) {
    const program = await findRecordingServer(options.log);
    if (program === undefined) throw new Error('run proxy-framing: there is no Go to build the recording server with');
    const server = await startRecordingServer(program);
    const world = await DoorWorld.open({ server: server.url, limits: LIMITS, trustProxy: ['127.0.0.1'] });
    try {
      await play(options, { server, door: world.url });
    } finally {
      await world.close();
      await server.stop();
    }
  },
};

interface Stage {
  readonly server: RecordingServer;
  readonly door: string;
}

/** Plays in batches. In one of four the API server answers maliciously, and requests alongside may fail. */
async function play({ count, seed, progress, signal }: SoakOptions, { server, door }: Stage): Promise<void> {
  const register = new Register();
  let done = 0;
  for (let first = seed; done < count; first += BATCH) {
    signal.throwIfAborted();
    const isHostile = Math.floor((first - seed) / BATCH) % 4 === 3;
    const batch = Array.from({ length: BATCH }, (_, at) => caseOf(first + at, isHostile));
    for (const { conversation } of batch) register.add(conversation);
    const queue = batch.values();
    await Promise.all(
      Array.from({ length: WIDTH }, async () => {
        for (const { seed: own, conversation } of queue) await playOne({ own, conversation, door });
      }),
    );
    register.check(await server.seen(signal));
    for (const { conversation } of batch) if (!conversation.isUnsure) register.settle(conversation);
    done += batch.reduce((sum, { conversation }) => sum + conversation.asked.length, 0);
    progress(Math.min(done, count));
  }
}

function caseOf(seed: number, isHostile: boolean) {
  return { seed, conversation: conversationOf(`s${seed}`, seededRandom(seed), { place: RECORDED, isHostile }) };
}

interface Played {
  readonly own: number;
  readonly conversation: Conversation;
  readonly door: string;
}

async function playOne({ own, conversation, door }: Played): Promise<void> {
  try {
    const heard = await converse({ url: door }, conversation);
    checkAnswers(conversation, heard, recordedCases(heard));
  } catch (error) {
    const said = JSON.stringify(conversation.asked.map(({ bytes }) => bytes.slice(0, 1_500)));
    throw new SoakCaseFailure(own, new Error(`after ${said}`, { cause: error }));
  }
}
