import type { Channel } from '#contexts/channels';
import { connectLocal } from '#contexts/channels/adapters';
import { AccessAsker } from './access-asker.ts';
import { ACCESS, CHANNELS, FLOWS, type Flow, LARGE_BYTES, numberIn, TARGET } from './flows.ts';
import { Journal } from './journal.ts';
import { type Goal, NumberedSender } from './numbered-sender.ts';
import { TakenLog } from './taken-log.ts';

/** A local process of a fleetlet: an agent with one target, which sends and receives on every channel. */
const [folder = '', socket = ''] = process.argv.slice(2);
/** Small, so that the buffers are sometimes full. */
const BUFFER = { messages: 64, bytes: 64 * 1024 };
/** A message larger than the whole buffer may be in it alone. */
const MOST_BYTES = Math.max(BUFFER.bytes, LARGE_BYTES);
const WATCH_MS = 20;

const over = new AbortController();
process.on('disconnect', () => process.exit());
const journal = new Journal(folder, 'local');
const taken = new TakenLog(journal, 'down');
const client = connectLocal({
  to: { path: socket },
  process: 'agent',
  pace: { baseMs: 20, capMs: 100, stableMs: 500, openWithinMs: 1_000 },
});
const claim = { name: TARGET.name, type: TARGET.type, serving: 'colocated', labels: {}, properties: '{}' } as const;
client.registerTarget(
  { ...claim, manifestTypes: [], instance: 'i', agentVersion: '1' },
  { accepted: () => {}, superseded: (message) => journal.write({ kind: 'wrong', what: `superseded: ${message}` }) },
);
const channels = new Map(CHANNELS.map((each) => [each.name, open(each)] as const));
const access = client.open(
  { name: ACCESS, mode: 'reliable', buffer: BUFFER },
  {
    message: (message) => asker.answered(message),
    resumed: () => {
      journal.write({ kind: 'resumed', channel: ACCESS });
      asker.resumed();
    },
    closed: ({ reason, message }) => journal.write({ kind: 'wrong', what: `${ACCESS} closed: ${reason} ${message}` }),
  },
);
const asker = new AccessAsker(journal, () => access);
const senders = FLOWS.filter(({ direction }) => direction === 'up').map(
  (flow) => new NumberedSender({ flow, journal, send: (message, signal) => send(flow, message, signal) }),
);
process.on('message', (goal: Goal) => {
  for (const sender of senders) sender.reach(goal);
  asker.reach(goal);
});
setInterval(watchBuffers, WATCH_MS).unref();
await Promise.all([
  client.run(over.signal),
  ...senders.map((sender) => sender.run(over.signal)),
  asker.run(over.signal),
]);

function open({ name, mode, shards }: (typeof CHANNELS)[number]): Channel {
  return client.open(
    { name, mode, buffer: BUFFER, ...(shards > 1 && { shards }) },
    {
      message: (message) => taken.take(name, message),
      resumed: () => journal.write({ kind: 'resumed', channel: name }),
      closed: ({ reason, message }) => journal.write({ kind: 'wrong', what: `${name} closed: ${reason} ${message}` }),
    },
  );
}

async function send({ channel }: Flow, message: Parameters<Channel['send']>[0], signal: AbortSignal): Promise<void> {
  if (numberIn(message.payload) === undefined) throw new Error('send what is not numbered');
  await channels.get(channel)?.send({ ...message, target: TARGET.uid }, signal);
}

function watchBuffers(): void {
  for (const { name, shards } of CHANNELS) {
    const { messages = 0, bytes = 0 } = channels.get(name)?.buffered ?? {};
    const isTooMuch = messages > BUFFER.messages * shards || bytes > MOST_BYTES * shards;
    if (isTooMuch) journal.write({ kind: 'wrong', what: `${name} keeps ${messages} messages, ${bytes} bytes` });
  }
}
