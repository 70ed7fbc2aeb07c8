import pg from 'pg';
import { sleep } from '#kit/std';
import type { Announcements } from '../announcements.ts';
import { clientConfig, type PostgresAddress } from './postgres-connection.ts';

const CHANNEL = 'fleetshift';
const RECONNECT_MS = 1_000;

/**
 * Receives announcements of other processes. It misses those made while its connection is down, so after every
 * (re)connection all listeners are called.
 */
export class PostgresListener {
  readonly #address: PostgresAddress;
  readonly #announcements: Announcements;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(address: PostgresAddress, announcements: Announcements) {
    this.#address = address;
    this.#announcements = announcements;
  }

  /** Connects with the first listener: a process without listeners needs no connection. */
  start(): void {
    this.#running ??= this.#listenUntilStopped();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #listenUntilStopped(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#listenOnce().catch(() => {});
      await sleep(RECONNECT_MS * (0.5 + Math.random()), this.#stop.signal).catch(() => {});
    }
  }

  async #listenOnce(): Promise<void> {
    const client = new pg.Client(clientConfig(this.#address));
    const ended = new Promise<void>((resolve) => {
      client.on('end', resolve);
      client.on('error', () => resolve());
      this.#stop.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    client.on('notification', ({ payload }) => {
      if (payload !== undefined) this.#announcements.tell([payload]);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${channelOf(this.#address)}`);
      this.#announcements.tellAll();
      await ended;
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** Postgres notifies the whole database, so each schema has a channel of its own. */
export function channelOf(address: PostgresAddress): string {
  return `${CHANNEL}_${address.schema}`;
}
