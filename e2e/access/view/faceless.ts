/** What is never twice the same: identities by the order in which they appear, moments as such. */
export class Faceless {
  readonly #seen = new Map<string, string>();

  of(text: string): string {
    return text.replace(IDENTITY, (found) => this.#placeholder(found)).replace(MOMENT, '<time>');
  }

  #placeholder(found: string): string {
    // Request ids come and go with each request, and name nothing.
    if (found.startsWith('"requestId"')) return '"requestId":"<any>"';
    const known = this.#seen.get(found) ?? `<${this.#seen.size}>`;
    this.#seen.set(found, known);
    return known;
  }
}

/**
 * Uids; hashes; etags, page tokens and the ids of event frames, which are opaque; serials of certificates; ids of tokens;
 * and the tokens themselves.
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
