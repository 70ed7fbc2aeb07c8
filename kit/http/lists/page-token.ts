import { hash } from 'node:crypto';
import { canonicalJson } from '#kit/std';
import { HttpError } from '../errors/http-error.ts';

/** Where a list continues: the sort key of the last item that was processed. */
export type PageKey = readonly (string | number)[];
export type PageKeyShape = readonly ('string' | 'number')[];

const VERSION = 1;
const MAX_LENGTH = 2048;

/**
 * Creates and reads the page tokens of one list: one operation, with these parameters and this filter.
 *
 * A token holds no secret and gives no access, so it is not signed. Its digest detects tokens that were truncated,
 * edited or taken from another list, which would otherwise silently give a wrong page.
 */
export class PageTokens {
  readonly #list: string;
  readonly #shape: PageKeyShape;

  constructor(identity: unknown, shape: PageKeyShape) {
    this.#list = hash('sha256', canonicalJson(identity), 'base64url').slice(0, 16);
    this.#shape = shape;
  }

  encode(key: PageKey): string {
    const payload = [VERSION, this.#list, key];
    return Buffer.from(JSON.stringify([...payload, digest(payload)])).toString('base64url');
  }

  decode(token: string): PageKey {
    const key = this.#keyIn(token);
    // Base64 and JSON can encode one value in many ways; only the original encoding is accepted.
    if (key === undefined || this.encode(key) !== token) {
      const message = 'must be the nextPageToken of a page of the same list, with the same filter and parameters';
      throw new HttpError('INVALID_PAGE_TOKEN', `The pageToken ${message}. Leave it out to start from the beginning.`, {
        faults: [{ path: 'query/pageToken', message }],
      });
    }
    return key;
  }

  #keyIn(token: string): PageKey | undefined {
    if (token.length > MAX_LENGTH) return undefined;
    const content = parse(Buffer.from(token, 'base64url').toString());
    const key: unknown = Array.isArray(content) ? content[2] : undefined;
    return isKey(key, this.#shape) ? key : undefined;
  }
}

function digest(payload: unknown): string {
  return hash('sha256', JSON.stringify(payload), 'base64url').slice(0, 11);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isKey(key: unknown, shape: PageKeyShape): key is PageKey {
  return Array.isArray(key) && key.length === shape.length && key.every((part, index) => typeof part === shape[index]);
}
