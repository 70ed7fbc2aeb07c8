import type { SqliteConnection } from './connection.ts';
import { toFault } from './sqlite-errors.ts';
import {
  type BatchOutcome,
  type ReadRequest,
  type ReadStatement,
  WordReader,
  type WriterReply,
  type WriterRequest,
} from './writer-protocol.ts';

export interface WriterService {
  (request: WriterRequest): WriterReply;
  close(): void;
}

const BEGIN = 'BEGIN IMMEDIATE';
const COMMIT = 'COMMIT';
const BEGIN_PART = 'SAVEPOINT part';
const KEEP_PART = 'RELEASE part';
const UNDO_PART = 'ROLLBACK TO part; RELEASE part';

const TURN_LOST = { message: 'the turn was lost before' };

const NOTHING: WriterReply = [];

/**
 * Serves requests in order on one connection. A turn begins with its first request and ends with the one that commits.
 * Each batch and each transaction in it is a savepoint, so that a failing one does not affect the others.
 */
export function serveWriter(connection: SqliteConnection): WriterService {
  const reader = new WordReader();
  const serve = (words: WriterRequest): WriterReply => {
    try {
      const request = reader.read(words);
      if (request.first) begin(connection);
      else if (!connection.inTransaction) return { outcomes: [], rows: [], lost: TURN_LOST };
      const reply = perform(connection, request);
      if (request.last) connection.run(COMMIT, []);
      return reply;
    } catch (error) {
      if (connection.inTransaction) connection.script('ROLLBACK');
      return { outcomes: [], rows: [], lost: toFault(error) };
    }
  };
  return Object.assign(serve, { close: () => connection.close() });
}

/** An open transaction is from a turn that was not ended: none of its writes was acknowledged. */
function begin(connection: SqliteConnection): void {
  if (connection.inTransaction) connection.script('ROLLBACK');
  connection.run(BEGIN, []);
}

function perform(connection: SqliteConnection, { kind, flag, batches }: ReadRequest): WriterReply {
  switch (kind) {
    case 'batches':
      return together(connection, batches);
    case 'statements': {
      if (flag) connection.run(BEGIN_PART, []);
      return { outcomes: [runAll(connection, batches[0] ?? [])], rows: [] };
    }
    case 'query': {
      if (flag) connection.run(BEGIN_PART, []);
      return query(connection, batches[0] ?? []);
    }
    case 'end':
      connection.script(flag ? KEEP_PART : UNDO_PART);
      return NOTHING;
    case 'none':
      return NOTHING;
  }
}

/**
 * DECISION: one savepoint for all batches. Only if one of them is bad, all are repeated with a savepoint each. Bad
 * batches are rare, and a savepoint costs as much as a statement.
 */
function together(connection: SqliteConnection, batches: readonly (readonly ReadStatement[])[]): WriterReply {
  const changes: number[] = [];
  connection.run(BEGIN_PART, []);
  for (const batch of batches) {
    const bad = runInto(changes, connection, batch);
    if (bad !== undefined) {
      connection.script(UNDO_PART);
      return { outcomes: batches.map((each) => alone(connection, each)), rows: [] };
    }
  }
  connection.run(KEEP_PART, []);
  return changes;
}

function alone(connection: SqliteConnection, batch: readonly ReadStatement[]): BatchOutcome {
  connection.run(BEGIN_PART, []);
  const outcome = runAll(connection, batch);
  connection.script(outcome.kind === 'done' ? KEEP_PART : UNDO_PART);
  return outcome;
}

function runAll(connection: SqliteConnection, batch: readonly ReadStatement[]): BatchOutcome {
  const changes: number[] = [];
  return runInto(changes, connection, batch) ?? { kind: 'done', changes };
}

/** Returns the outcome of the failed statement, if any. */
function runInto(
  changes: number[],
  connection: SqliteConnection,
  batch: readonly ReadStatement[],
): BatchOutcome | undefined {
  const first = changes.length;
  try {
    for (const { text, values, expected } of batch) {
      const changed = connection.run(text, values);
      if (expected !== undefined && changed !== expected) {
        return { kind: 'guard', statement: changes.length - first, expected, changed };
      }
      changes.push(changed);
    }
    return undefined;
  } catch (error) {
    // A full disk or a damaged file ends the whole transaction: the turn is lost, not just this batch.
    if (!connection.inTransaction) throw error;
    return { kind: 'fault', fault: toFault(error) };
  }
}

function query(connection: SqliteConnection, batch: readonly ReadStatement[]): WriterReply {
  try {
    const rows = batch.flatMap(({ text, values }) => connection.all(text, values));
    return { outcomes: [{ kind: 'done', changes: [] }], rows };
  } catch (error) {
    if (!connection.inTransaction) throw error;
    return { outcomes: [{ kind: 'fault', fault: toFault(error) }], rows: [] };
  }
}
