import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Row } from '../port.ts';
import type { Statement } from '../sql.ts';

const INT8 = 20;
const NUMERIC = 1700;
const BOOL = 16;
const JSON_TYPES = new Set([114, 3802]);

/** Makes rows look like those of SQLite: numbers are numbers, booleans are 0 or 1, documents are text. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8 || oid === NUMERIC) return parseNumber;
    if (oid === BOOL) return (text: string) => (text === 't' ? 1 : 0);
    if (JSON_TYPES.has(oid)) return (text: string) => text;
    return pg.types.getTypeParser(oid, format ?? 'text') as (text: string) => unknown;
  },
};

export interface PostgresAddress {
  readonly url: string;
  readonly schema: string;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
}

/**
 * More than a body may take. A process that is stopped in the middle of a transaction holds its locks, and with them a
 * takeover off, until then.
 */
const IDLE_IN_TRANSACTION_MS = 12_000;

/** Settings of every connection. Names such as `search_path` never come from a request. */
export function clientConfig(
  address: PostgresAddress,
  idleInTransactionMs: number = IDLE_IN_TRANSACTION_MS,
): pg.ClientConfig {
  return {
    connectionString: address.url,
    connectionTimeoutMillis: address.connectTimeoutMs,
    keepAlive: true,
    // All statements of a batch are sent before the first is answered.
    pipeline: true,
    types,
    application_name: 'fleetshift',
    lock_timeout: 5_000,
    statement_timeout: address.statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    options: `-c search_path=${address.schema}`,
  };
}

interface Prepared {
  readonly text: string;
  readonly name: string;
}

const prepared = new WeakMap<readonly string[], Prepared>();

/**
 * The strings of a template are the same array at every call, so its text and the name of its prepared statement are
 * computed once. The number of templates is bounded by the code; composed texts are unbounded, and preparing them would
 * fill the server's memory.
 */
export function toQuery({ parts, values }: Statement): pg.QueryConfig {
  if (!('raw' in parts)) return { text: textOf(parts), values: values as unknown[] };
  const { text, name } = prepare(parts);
  return { text, name, values: values as unknown[] };
}

function prepare(parts: readonly string[]): Prepared {
  const known = prepared.get(parts);
  if (known !== undefined) return known;
  const text = textOf(parts);
  const made = { text, name: createHash('sha256').update(text).digest('base64url').slice(0, 32) };
  prepared.set(parts, made);
  return made;
}

function textOf(parts: readonly string[]): string {
  return parts.reduce((before, part, index) => `${before}$${index}${part}`);
}

export function rowsOf<R extends Row>(result: pg.QueryResult): R[] {
  // The caller knows the columns it selected; the type parsers above turn each into a Value.
  return result.rows as R[];
}

function parseNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) throw new RangeError(`${text} is too large a number`);
  return number;
}
