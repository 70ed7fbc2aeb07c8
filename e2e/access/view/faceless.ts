/** Masks values that differ from run to run: identities become their order of appearance, times a fixed mark. */
export class Faceless {
  readonly #seen = new Map<string, string>();

  of(text: string): string {
    return text.replace(IDENTITY, (found) => this.#placeholder(found)).replace(MOMENT, '<time>');
  }

  #placeholder(found: string): string {
    // Request ids are new for each request and refer to no object.
    if (found.startsWith('"requestId"')) return '"requestId":"<any>"';
    const known = this.#seen.get(found) ?? `<${this.#seen.size}>`;
    this.#seen.set(found, known);
    return known;
  }
}

/**
 * Uids; hashes; etags, page tokens and ids of event frames, which are opaque; certificate serials; token ids; and the
 * tokens themselves.
 */
const IDENTITY = new RegExp(
  [
    '"requestId":"[^"]+"',
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
    'sha256:[0-9a-f]{64}',
    '(?<="etag":")[^"]+',
    '(?<="nextPageToken":")[^"]+',
    '(?<=^id: ).+$',
    '(?<="serial":")[^"]+',
    'fs[tb]_[a-z2-7]{16}_[-\\w]+',
    '\\b[a-z2-7]{16}\\b',
  ].join('|'),
  'gm',
);
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
