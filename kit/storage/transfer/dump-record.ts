import { hash } from 'node:crypto';
import type { Value } from '../sql.ts';
import { TransferError } from './transfer-error.ts';

/** The migration level of a module's tables. */
export interface SchemaLevel {
  readonly module: string;
  readonly number: number;
}

/** A dump is a list of JSON lines: for each table its head, rows and end, and finally the end of the dump. */
export type DumpRecord =
  | { readonly kind: 'table'; readonly name: string; readonly columns: readonly string[]; readonly counter?: number }
  | { readonly kind: 'row'; readonly values: readonly Value[] }
  | { readonly kind: 'end'; readonly name: string; readonly rows: number; readonly digest: string }
  | { readonly kind: 'done'; readonly tables: number };

export function formatRecord(record: DumpRecord): string {
  return record.kind === 'row' ? rowText(record.values) : JSON.stringify(record);
}

export function parseRecord(line: string): DumpRecord {
  let content: unknown;
  try {
    content = JSON.parse(line);
  } catch (cause) {
    throw damaged('a line is not JSON', cause);
  }
  if (Array.isArray(content)) return { kind: 'row', values: content.map(toValue) };
  // FleetShift wrote this text, and every byte has been authenticated; its claims are compared with the actual rows.
  const record = content as DumpRecord | null;
  if (record !== null && ['table', 'end', 'done'].includes(record.kind)) return record;
  throw damaged('a line is of no kind that is known');
}

/** The same text for the same values on both engines. */
export function rowText(values: readonly Value[]): string {
  return JSON.stringify(
    values.map((value) => (value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value)),
  );
}

const MODULUS = 1n << 256n;

/** A digest of the rows of a table, independent of their order, which differs between the engines. */
export class RowDigest {
  #sum = 0n;
  #rows = 0;

  add(row: string): void {
    this.#sum = (this.#sum + BigInt(`0x${hash('sha256', row, 'hex')}`)) % MODULUS;
    this.#rows += 1;
  }

  get rows(): number {
    return this.#rows;
  }

  get text(): string {
    return this.#sum.toString(16).padStart(64, '0');
  }
}

export function damaged(why: string, cause?: unknown): TransferError {
  return new TransferError('DUMP_DAMAGED', `read a dump: ${why}`, { cause });
}

function toValue(raw: unknown): Value {
  if (raw === null || typeof raw === 'string' || typeof raw === 'number') return raw;
  if (typeof raw === 'object' && 'bytes' in raw && typeof raw.bytes === 'string')
    return Buffer.from(raw.bytes, 'base64');
  throw damaged('a row holds what no column can');
}
