import type { Route } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import { type Clock, sleep as realSleep, type Sleep, systemClock, type Uuid, uuidv7 } from '#kit/std';
import type { Storage, Transaction } from '#kit/storage';
import { IndexSchemaService } from '../application/schemas/index-schema-service.ts';
import type { SchemaUnit, WorkspaceDirectory } from '../application/schemas/ports.ts';
import { SchemaDirectory, type SchemaDirectoryDeps } from '../application/schemas/schema-directory.ts';
import { IndexIntake } from '../application/sink/index-intake.ts';
import type { IndexAgents, IndexObserver } from '../application/sink/ports.ts';
import { SchemaPush } from '../application/sink/schema-push.ts';
import type { ToIndexer } from '../domain/index-message.ts';
import { indexSchemaRoutes } from './http/http-index-schemas.ts';
import { targetIndexRoutes } from './http/http-target-index.ts';
import { outboxSchemaEvents } from './sql/outbox-schema-events.ts';
import { SCHEMAS_TOPIC } from './sql/schemas-topic.ts';
import { SqlIndexReader, type TypeCount } from './sql/sql-index-reader.ts';
import { SqlIndexStore, type SqlIndexStoreDeps } from './sql/sql-index-store.ts';
import { SqlSchemaStore } from './sql/sql-schema-store.ts';
import { decodeFromIndexer, encodeToIndexer } from './wire/index-codec.ts';

export interface ResourceIndexDeps {
  readonly storage: Storage;
  /** Writes what agents send, as long as this process is the one that they are connected to. Default: as any write. */
  readonly writeIntake?: Storage['write'];
  /** Lookups in neighbouring contexts, in the caller's transaction. */
  readonly workspaces: (tx: Transaction) => WorkspaceDirectory;
  readonly existing: SqlIndexStoreDeps['existing'];
  readonly targets: SchemaDirectoryDeps['targets'];
  /** Throws when there is no target of that name. */
  readonly targetUid: (name: string, signal: AbortSignal) => Promise<string>;
  readonly agents: IndexChannel;
  readonly observer: IndexObserver;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly newUid?: () => Uuid;
}

/** The platform's end of the `index` channel. */
export interface IndexChannel {
  /** Throws when no agent that serves the target is connected. */
  send(target: string, payload: Uint8Array, signal: AbortSignal): Promise<void>;
  /** The uids of targets whose agents are connected to this process. */
  connected(): readonly string[];
}

export interface ResourceIndex {
  readonly routes: readonly Route[];
  readonly runnables: readonly Runnable[];
  /** Handles a message of an agent; calls `taken` once it is stored. Throws for a malformed message. */
  take(target: string, payload: Uint8Array, taken: () => void): void;
  counts(signal: AbortSignal): Promise<readonly TypeCount[]>;
  close(): void;
}

/** Wires this context for the platform. */
export function openResourceIndex(deps: ResourceIndexDeps): ResourceIndex {
  const { storage, clock = systemClock, sleep = realSleep, newUid = uuidv7, observer, targetUid } = deps;
  const reader = new SqlIndexReader(storage);
  const directory = new SchemaDirectory({
    schemas: (signal) => reader.allSchemas(signal),
    targets: deps.targets,
  });
  const agents: IndexAgents = {
    send: (target, message: ToIndexer, signal) => deps.agents.send(target, encodeToIndexer(message), signal),
  };
  const connected = (): readonly string[] => deps.agents.connected();
  const push = new SchemaPush({ directory, agents, connected, sleep, onTrouble: (error) => observer.trouble(error) });
  const intake = new IndexIntake({
    store: new SqlIndexStore({
      existing: deps.existing,
      storage: {
        all: (statement, signal) => storage.all(statement, signal),
        write: deps.writeIntake ?? ((body, signal) => storage.write(body, signal)),
      },
    }),
    agents,
    schemaOf: (target, signal) => push.schemaOf(target, signal),
    observer,
    clock,
    sleep,
  });
  const unit = (tx: Transaction): SchemaUnit => ({
    schemas: new SqlSchemaStore(tx),
    events: outboxSchemaEvents(tx, newUid),
    workspaces: deps.workspaces(tx),
  });
  return {
    routes: [
      ...indexSchemaRoutes({ storage, reader, service: new IndexSchemaService({ newUid }), unit }),
      ...targetIndexRoutes({ reader, directory, targetUid }),
    ],
    runnables: [
      { name: 'index intake', run: (signal) => intake.run(signal) },
      { name: 'index schemas', run: (signal) => push.run(signal) },
    ],
    take: (target, payload, taken) => {
      const message = decodeFromIndexer(payload);
      // From a later release: not understood here, so it is acknowledged and ignored.
      if (message === undefined) return taken();
      intake.take({ target, message, bytes: payload.length, taken });
    },
    counts: (signal) => reader.counts(signal),
    close: storage.onAnnounced(SCHEMAS_TOPIC, () => push.raise()),
  };
}
