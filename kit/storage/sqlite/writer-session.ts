import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { StorageError } from '../storage-error.ts';
import type { ConnectionOptions } from './connection.ts';
import { fromSqlite, type SqliteFault } from './sqlite-errors.ts';
import { type Place, WordWriter, type WriterCall, type WriterReply, type WriterRequest } from './writer-protocol.ts';

import type { WriterWorkerData } from './writer-worker.ts';

/** In a bundle the worker is a JavaScript file next to the code that starts it. */
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './writer-worker.ts' : './writer-worker.js', import.meta.url);

type Greeting = 'ready' | { readonly refused: SqliteFault };

interface Waiting {
  resolve(reply: WriterReply): void;
  reject(error: Error): void;
  readonly commits: boolean;
}

/**
 * One writer thread as seen from the main thread; it answers requests in order. When the thread dies, SQLite rolls back
 * what was not committed, all waiting requests are rejected, and the session accepts no more: a new thread must not
 * continue a half-finished turn.
 */
export class WriterSession {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #bell: Int32Array;
  readonly #words = new WordWriter();
  readonly #waiting: Waiting[] = [];
  #lost: StorageError | undefined;

  private constructor(connection: ConnectionOptions) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#bell = new Int32Array(new SharedArrayBuffer(4));
    const workerData: WriterWorkerData = { connection, port: port2, bell: this.#bell };
    this.#worker = new Worker(ENTRY, { workerData, transferList: [port2] });
  }

  static async open(options: ConnectionOptions): Promise<WriterSession> {
    return await new Promise<WriterSession>((resolve, reject) => {
      const session = new WriterSession(options);
      session.#port.on('message', (message: Greeting | WriterReply) => {
        if (message === 'ready') resolve(session);
        else if ('refused' in message) reject(fromSqlite(message.refused));
        else session.#waiting.shift()?.resolve(message);
      });
      session.#worker.on('error', (error) => session.#end(error));
      session.#worker.on('exit', () => reject(session.#end(undefined)));
    });
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** One request, one answer. An error means that the whole turn was lost. */
  async ask(asked: WriterCall, place: Place): Promise<WriterReply> {
    if (this.#lost !== undefined) throw this.#lost;
    const request = this.#words.request(asked, place);
    const reply = await new Promise<WriterReply>((resolve, reject) => {
      this.#waiting.push({ resolve, reject, commits: place.last });
      this.#send(request);
    });
    if ('lost' in reply && reply.lost !== undefined) throw fromSqlite(reply.lost);
    return reply;
  }

  async close(): Promise<void> {
    if (this.isLost) return;
    const exited = new Promise<void>((resolve) => this.#worker.once('exit', () => resolve()));
    this.#send('close');
    await exited;
  }

  /** Ends the thread at any point, like a crash. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(message: WriterRequest | 'close'): void {
    this.#port.postMessage(message);
    Atomics.add(this.#bell, 0, 1);
    Atomics.notify(this.#bell, 0);
  }

  #end(cause: unknown): StorageError {
    this.#lost ??= new StorageError('WRITER_LOST', 'the writer thread ended; uncommitted writes are rolled back', {
      cause,
    });
    this.#port.close();
    for (const waiting of this.#waiting.splice(0)) {
      waiting.reject(waiting.commits ? unknownOutcome(this.#lost) : this.#lost);
    }
    return this.#lost;
  }
}

/** One turn on a session: one transaction, from its first request to the one that commits. */
export class WriterTurn {
  readonly #session: WriterSession;
  #begun = false;

  constructor(session: WriterSession) {
    this.#session = session;
  }

  /** `commit` ends the turn with this request. */
  ask(asked: WriterCall, commit: boolean): Promise<WriterReply> {
    const place = { first: !this.#begun, last: commit };
    this.#begun = true;
    return this.#session.ask(asked, place);
  }
}

function unknownOutcome(cause: StorageError): StorageError {
  return new StorageError('OUTCOME_UNKNOWN', 'the writer thread ended during the commit; read before you write again', {
    cause,
  });
}
