import type { SeededRandom } from '../seeded.ts';
import type { FuzzAnswer, FuzzRequest } from './fuzz-request.ts';

/** What answers have shown, so that requests can speak of what is there. */
type SeenObject = Readonly<Record<string, unknown>>;

/** Where a value for a parameter or property is found in what was seen, when it has another name there. */
const SEEN_AS: Readonly<Record<string, string>> = {
  workspace: 'name',
  parent: 'name',
  'If-Match': 'etag',
  'If-None-Match': 'etag',
};
const REMEMBERED = 200;

export class SeenValues {
  readonly #random: SeededRandom;
  readonly #objects: SeenObject[] = [];
  readonly #positions: string[] = [];
  #continuation: FuzzRequest | undefined;
  #newest: SeenObject | undefined;
  #focus: SeenObject = {};

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** From now on values come from one object where possible, so that a name and an etag belong together. */
  refocus(): void {
    // Often the newest: what is made of it makes states deep.
    this.#focus = (this.#random.next() < 0.3 ? this.#newest : this.#oneOf(this.#objects)) ?? {};
  }

  /** For something that a request speaks of. */
  recall(name: string): string | undefined {
    if (/^last-?event-?id$/i.test(name)) return this.#oneOf(this.#positions);
    const value = this.#focus[SEEN_AS[name] ?? name];
    return typeof value === 'string' ? value : undefined;
  }

  /** The next page of the list that was asked for last. */
  get continuation(): FuzzRequest | undefined {
    return this.#continuation;
  }

  learn(request: FuzzRequest, { status, headers, body }: FuzzAnswer): void {
    if (status >= 300 || request.method === 'HEAD') return;
    const type = headers['content-type'] ?? '';
    if (type.startsWith('text/event-stream')) {
      // Only the first: how much of a stream arrives at once is up to chance, and a seed should tell one story.
      const position = /^id: (\d+)$/m.exec(body)?.[1];
      if (position !== undefined) this.#remember(this.#positions, position);
    }
    if (!type.startsWith('application/json')) return;
    const answer = JSON.parse(body) as unknown;
    this.#learnObjects(answer);
    if (isObject(answer) && typeof answer['nextPageToken'] === 'string') {
      this.#continuation = withParameter(request, 'pageToken', answer['nextPageToken']);
    }
  }

  #learnObjects(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.#learnObjects(item);
    if (!isObject(value)) return;
    if (typeof value['name'] === 'string' && typeof value['etag'] === 'string') {
      this.#remember(this.#objects, value);
      this.#newest = value;
    } else for (const item of Object.values(value)) this.#learnObjects(item);
  }

  /** The newest, and of the older ones any. */
  #remember<T>(seen: T[], value: T): void {
    if (seen.length < REMEMBERED) seen.push(value);
    else seen[this.#random.integer(0, REMEMBERED - 1)] = value;
  }

  #oneOf<T>(seen: readonly T[]): T | undefined {
    return seen.length === 0 ? undefined : this.#random.pick(seen);
  }
}

function withParameter(request: FuzzRequest, name: string, value: string): FuzzRequest {
  const [path = '', query = ''] = request.target.split('?');
  const others = query.split('&').filter((pair) => pair !== '' && !pair.startsWith(`${name}=`));
  return { ...request, target: `${path}?${[...others, `${name}=${encodeURIComponent(value)}`].join('&')}` };
}

function isObject(value: unknown): value is SeenObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
