import type { WorkflowClient, WorkflowDescription } from '#kit/durable';
import { createEmbeddedEngine, DURABLE_MIGRATIONS } from '#kit/durable/embedded';
import type { HttpServer } from '#kit/http';
import type { Storage } from '#kit/storage';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import type { TestDatabase } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { eventually } from '../../../kit/durable/testing/eventually.ts';
import { AS_ALICE, testServer } from '../../../kit/http/testing/test-server.ts';
import { workflowRoutes } from '../durable/http-workflows.ts';
import { ERRAND_WORKFLOWS, forgotten } from './errand-workflows.ts';
import { errand, listener, nap, parent, stumble } from './errands.ts';

const signal = new AbortController().signal;
const BEGIN = Date.UTC(2030, 0, 1);

/** That many seconds after the beginning. */
export function secondsIn(count: number): string {
  return new Date(BEGIN + count * 1_000).toISOString();
}

interface Parts {
  readonly server: HttpServer;
  readonly client: WorkflowClient;
  readonly clock: FakeClock;
  readonly storage: Storage;
  stop(): Promise<void>;
}

export interface Answered {
  readonly status: number;
  readonly body: unknown;
}

/** The real server with the real routes over a real engine on a real database; the test advances its clock. */
export class WorkflowApi {
  readonly server: HttpServer;
  readonly client: WorkflowClient;
  readonly #clock: FakeClock;
  readonly #storage: Storage;
  readonly #stopEngine: () => Promise<void>;

  private constructor(parts: Parts) {
    ({ server: this.server, client: this.client, clock: this.#clock, storage: this.#storage } = parts);
    this.#stopEngine = () => parts.stop();
  }

  static async open(database: TestDatabase): Promise<WorkflowApi> {
    const clock = new FakeClock(BEGIN);
    const storage = await database.open([LEASE_MIGRATIONS, DURABLE_MIGRATIONS]);
    const engine = createEmbeddedEngine({ storage, registry: ERRAND_WORKFLOWS, clock, random: () => 0.5 });
    const asked = new AbortController();
    const ended = engine.run(asked.signal);
    // If the engine ends early, `close` reports the reason to a test that waits for it.
    ended.catch(() => {});
    const { server } = await testServer(workflowRoutes(engine.client), { clock });
    const stop = async (): Promise<void> => {
      asked.abort(new Error('the test is over'));
      await ended;
    };
    return new WorkflowApi({ server, client: engine.client, clock, storage, stop });
  }

  /** The same database in a process with other code, which knows none of the workflows. */
  async otherCode(): Promise<HttpServer> {
    const registry = { workflows: [], activities: [] };
    const { client } = createEmbeddedEngine({ storage: this.#storage, registry, clock: this.#clock });
    return (await testServer(workflowRoutes(client))).server;
  }

  async close(): Promise<void> {
    await this.server.close(1_000);
    await this.#stopEngine();
  }

  /** `POST /v1/workflows/a:pause` */
  async call(call: string, body?: unknown, headers: Readonly<Record<string, string>> = AS_ALICE): Promise<Answered> {
    const [method = '', url = ''] = call.split(' ', 2);
    const sent = body === undefined ? {} : { payload: JSON.stringify(body) };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await this.server.inject({ method, url, headers: { ...headers, ...type }, ...sent });
    return { status: answer.statusCode, body: JSON.parse(answer.body) as unknown };
  }

  /** One of each kind, one second apart, each at rest before the next begins. */
  async startOneOfEach(): Promise<void> {
    const waits = ({ waitingFor }: WorkflowDescription): boolean => waitingFor.length > 0;
    const failedOnce = ({ waitingFor }: WorkflowDescription): boolean => waitingFor[0]?.lastError !== undefined;
    const { client } = this;
    await this.start('done', (id) => client.start(errand, { id, input: { things: ['pear'] } }, signal), hasEnded);
    await this.start('failed', (id) => client.start(stumble, { id, input: null }, signal), hasEnded);
    const things = ['pear', 'moonlight'];
    await this.start('retrying', (id) => client.start(errand, { id, input: { things } }, signal), failedOnce);
    await this.start('listening', (id) => client.start(listener, { id, input: null }, signal), waits);
    await this.start('napping', (id) => client.start(nap, { id, input: { ms: 3_600_000 } }, signal), waits);
    await this.start('parent', (id) => client.start(parent, { id, input: null }, signal), waits);
    await this.until('parent-child', waits);
    await this.start('lost', (id) => client.start(forgotten, { id, input: null }, signal), has('parked'));
  }

  async start(
    id: string,
    start: (id: string) => Promise<void>,
    rests: (described: WorkflowDescription) => boolean,
  ): Promise<void> {
    await this.#clock.advance(1_000);
    await start(id);
    await this.until(id, rests);
  }

  async until(id: string, condition: (described: WorkflowDescription) => boolean): Promise<void> {
    await eventually(`the state of ${id}`, async () => condition(await this.client.describe(id, signal)));
  }
}

export function has(status: string): (described: WorkflowDescription) => boolean {
  return (described) => described.status === status;
}

function hasEnded({ endTime }: WorkflowDescription): boolean {
  return endTime !== undefined;
}
