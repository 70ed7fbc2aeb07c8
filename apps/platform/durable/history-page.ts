import type { HistoryEntry } from '#kit/durable';
import { HttpError, type PageKey, type PageKeyShape } from '#kit/http';

/** An entry can hold two payloads of 1 MiB each; a page ends early before it grows much beyond this. */
const PAGE_CHARS = 4 * 1024 * 1024;

/** The number of entries before the page, and the step and the time of the last of them. */
export const HISTORY_KEY: PageKeyShape = ['number', 'number', 'number'];

export interface HistoryPage {
  readonly items: readonly HistoryEntry[];
  /** Where the next page begins; `undefined` when this is the last. */
  readonly next: PageKey | undefined;
}

export interface HistoryRange {
  readonly after: PageKey | undefined;
  readonly pageSize: number;
}

/** A page of a history. A workflow that continued as new has a new history, in which an old position is invalid. */
export function historyPage(history: readonly HistoryEntry[], { after, pageSize }: HistoryRange): HistoryPage {
  const begin = after === undefined ? 0 : Number(after[0]);
  if (after !== undefined && !isAt(history[begin - 1], after)) throw goneOn();
  let end = begin;
  for (let chars = 0; end < history.length && end - begin < pageSize && chars < PAGE_CHARS; end++) {
    chars += JSON.stringify(history[end]).length;
  }
  const last = history[end - 1];
  const next = end < history.length && last !== undefined ? [end, last.step, last.time] : undefined;
  return { items: history.slice(begin, end), next };
}

function isAt(entry: HistoryEntry | undefined, [, step, time]: PageKey): boolean {
  return entry !== undefined && entry.step === step && entry.time === time;
}

function goneOn(): HttpError {
  const message = 'belongs to a run that has ended; the workflow continued as new, with a new history';
  return new HttpError('INVALID_PAGE_TOKEN', `The pageToken ${message}. Omit it to start from the beginning.`, {
    faults: [{ path: 'query/pageToken', message }],
  });
}
