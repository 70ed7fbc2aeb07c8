import { seededRandom } from '#testing/seeded';
import { type Soak, SoakCaseFailure, type SoakOptions } from '#testing/soak';
import { type Conversation, conversationOf } from './proxy-framing/conversation.ts';
import { checkAnswers, converse, type Door } from './proxy-framing/converse.ts';
import { KubernetesWorld } from './proxy-framing/kubernetes-world.ts';

const WIDTH = 16;

export const soak: Soak = {
  description:
    'the requests of proxy-framing at both listeners of a platform process, through an agent process to a real API server, whose audit log has the allowed requests and nothing else',
  defaultCount: 5_000,
  async run(options) {
    const world = await KubernetesWorld.open(options.signal);
    try {
      await play(options, world);
    } finally {
      await world.close();
    }
    // Checks the requests that were still in flight when the world closed.
    world.trail.check();
  },
};

async function play({ count, seed, progress, signal }: SoakOptions, world: KubernetesWorld): Promise<void> {
  let done = 0;
  let next = seed;
  await Promise.all(
    Array.from({ length: WIDTH }, async () => {
      while (done < count) {
        signal.throwIfAborted();
        const own = next++;
        const conversation = conversationOf(`s${own}`, seededRandom(own), { place: world.place, isHostile: false });
        done += conversation.asked.length;
        await playOne({ own, conversation, world });
        progress(Math.min(done, count));
      }
    }),
  );
}

interface Played {
  readonly own: number;
  readonly conversation: Conversation;
  readonly world: KubernetesWorld;
}

async function playOne({ own, conversation, world: { doors, trail } }: Played): Promise<void> {
  trail.add(conversation);
  try {
    const heard = await converse(doors[own % doors.length] as Door, conversation);
    checkAnswers(conversation, heard, await trail.casesOf(heard));
  } catch (error) {
    const said = JSON.stringify(conversation.asked.map(({ bytes }) => bytes.slice(0, 1_500)));
    throw new SoakCaseFailure(own, new Error(`after ${said}`, { cause: error }));
  }
}
