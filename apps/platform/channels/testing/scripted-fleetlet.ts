import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  type Channel,
  type ControlReply,
  type Inbound,
  type Serving,
  Uplink,
  type UplinkState,
} from '#contexts/channels';
import { decodeControlReply, encodeControlRequest, frameConnections, sha256 } from '#contexts/channels/adapters';
import { sleep, systemClock, uuidv7 } from '#kit/std';
import type { Connection, Headers, Transport } from '#kit/transport';
import {
  FromAgentSchema,
  Health,
  type Holding,
  HoldingSchema,
  InventorySchema,
  StatusMessageSchema,
  type ToAgent,
  ToAgentSchema,
} from '#protocol/proto';

export type AgentAnswer = MessageInitShape<typeof FromAgentSchema>['message'];

export interface ScriptedFleetletOptions {
  /** Prepared in advance; sent with each stream. */
  readonly headers?: () => Headers;
  readonly serving?: Serving;
  /** Takes over the agent of this fleetlet, with its holdings. */
  readonly after?: ScriptedFleetlet;
  /** Overrides the usual answers of the agent; by default previews are not answered. */
  readonly answer?: (asked: ToAgent['message']) => AgentAnswer | undefined;
}

/** A fleetlet with an agent that accepts every order and applies it at once. */
export class ScriptedFleetlet {
  readonly replies: ControlReply[] = [];
  readonly states: UplinkState[] = [];
  readonly orders: { readonly target: string; readonly deployment: string; readonly revision: number }[] = [];
  readonly uplink: Uplink;
  readonly control: Channel;
  readonly delivery: Channel;
  readonly status: Channel;
  readonly access: Channel;
  readonly answers: Uint8Array[] = [];
  /** The holdings of the agent, as it reports them. */
  readonly #holdings: Map<string, Map<string, Holding>>;
  /** Simulates the network. */
  canConnect = true;
  readonly #connections = new Set<Connection>();
  readonly #stop = new AbortController();
  readonly #serving: Serving;
  readonly #answer: NonNullable<ScriptedFleetletOptions['answer']>;
  readonly #running: Promise<void>;
  #requests = 0;

  constructor(transport: Transport, options: ScriptedFleetletOptions = {}) {
    const { headers, serving = 'colocated', after, answer = () => undefined } = options;
    this.#serving = serving;
    this.#answer = answer;
    this.#holdings = after === undefined ? new Map<string, Map<string, Holding>>() : after.#holdings;
    const connect = frameConnections(this.#watched(transport), headers);
    this.uplink = new Uplink({
      connect: { control: connect, bulk: connect },
      session: uuidv7(),
      process: 'fleetlet',
      clock: systemClock,
      sleep,
      random: Math.random,
      newId: uuidv7,
      sha256,
      heartbeatMs: 200,
      pace: { baseMs: 10, capMs: 100, refusedMs: 500 },
      onState: (state) => this.states.push(state),
    });
    this.control = this.#open('control', (message) => this.#heard(message));
    this.delivery = this.#open('delivery', (message) => this.#ordered(message));
    this.status = this.#open('status', () => {});
    this.access = this.#open('access', ({ payload }) => this.answers.push(payload));
    this.#running = this.uplink.run(this.#stop.signal);
  }

  get isRefused(): string | undefined {
    const refused = this.states.find((state) => state.kind === 'refused');
    return refused?.kind === 'refused' ? refused.reason : undefined;
  }

  register(name: string, its: { readonly labels?: Record<string, string>; readonly properties?: string } = {}): number {
    const request = ++this.#requests;
    const rest = { manifestTypes: [], instance: 'i1', agentVersion: '1' };
    const claim = { name, type: 'directory', serving: this.#serving, labels: {}, properties: '{}', ...rest, ...its };
    this.control.trySend({ payload: encodeControlRequest({ request, kind: 'registerTarget', claim }) });
    return request;
  }

  answerTo(request: number): ControlReply | undefined {
    return this.replies.find((reply) => reply.request === request);
  }

  /** Sends the full inventory. */
  inventory(target: string): void {
    const holdings = [...(this.#holdings.get(target)?.values() ?? [])];
    const message = { case: 'inventory' as const, value: create(InventorySchema, { instance: 'i1', holdings }) };
    const payload = toBinary(StatusMessageSchema, create(StatusMessageSchema, { message }));
    this.status.trySend({ payload, target });
  }

  /** Simulates a cable that is pulled and plugged in again. */
  async cut(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.cut();
  }

  #watched(transport: Transport): Transport {
    return {
      name: transport.name,
      connect: async (signal) => {
        if (!this.canConnect) throw new Error('connect: there is no network');
        const connection = await transport.connect(signal);
        this.#connections.add(connection);
        connection.closed.then(
          () => this.#connections.delete(connection),
          () => {},
        );
        return connection;
      },
    };
  }

  #open(name: string, message: (message: Inbound) => void): Channel {
    const handlers = {
      message: (inbound: Inbound) => {
        inbound.ack();
        message(inbound);
      },
    };
    return this.uplink.open({ name, mode: 'reliable', connectionClass: 'control' }, handlers);
  }

  #heard({ payload }: Inbound): void {
    const reply = decodeControlReply(payload);
    if (reply !== undefined) this.replies.push(reply);
  }

  #ordered({ payload, target, key }: Inbound): void {
    const { request, message } = fromBinary(ToAgentSchema, payload);
    const say = (said: AgentAnswer): void => {
      const answer = create(FromAgentSchema, { request, ...(said && { message: said }) });
      this.delivery.trySend({ payload: toBinary(FromAgentSchema, answer), target, key });
    };
    const scripted = this.#answer(message);
    if (scripted !== undefined) return say(scripted);
    if (message.case !== 'deliver') return;
    const { deploymentUid, revision, hash } = message.value;
    this.orders.push({ target, deployment: deploymentUid, revision: Number(revision) });
    const holding = create(HoldingSchema, { deploymentUid, revision, hash, health: Health.AVAILABLE });
    this.#holdings.set(target, (this.#holdings.get(target) ?? new Map<string, Holding>()).set(deploymentUid, holding));
    say({ case: 'acknowledgement', value: { kind: { case: 'accepted', value: {} } } });
    for (const kind of [
      { case: 'applied', value: { hash } },
      { case: 'health', value: { health: Health.AVAILABLE, message: '' } },
    ] as const) {
      const report = { case: 'report', value: { deploymentUid, revision, kind } } as const;
      const said = create(StatusMessageSchema, { message: report });
      this.status.trySend({ payload: toBinary(StatusMessageSchema, said), target });
    }
  }
}
