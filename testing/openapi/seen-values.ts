import type { SeededRandom } from '../seeded.ts';
import type { Operation } from './api-description.ts';
import type { FuzzCaller } from './fuzz-callers.ts';
import type { FuzzAnswer, FuzzRequest } from './fuzz-request.ts';

type SeenObject = Readonly<Record<string, unknown>>;

/** An object seen in an answer, so that requests can refer to existing objects. */
interface Seen {
  readonly object: SeenObject;
  /** Its name and location, by parameter name. */
  readonly path: Readonly<Record<string, string>>;
  /** The caller that has seen it. */
  readonly by: string;
}

/** Names under which answers show a value, where they differ from the parameter's name. */
const SEEN_AS: Readonly<Record<string, string>> = {
  'If-Match': 'etag',
  'If-None-Match': 'etag',
};
const REMEMBERED = 300;

export class SeenValues {
  readonly #random: SeededRandom;
  readonly #operations: readonly Operation[];
  readonly #seen: Seen[] = [];
  readonly #positions: string[] = [];
  #continuation: FuzzRequest | undefined;
  #newest: Seen | undefined;
  #focus: Pick<Seen, 'object' | 'path'> = { object: {}, path: {} };

  constructor(random: SeededRandom, operations: readonly Operation[]) {
    this.#random = random;
    this.#operations = operations;
  }

  /**
   * Picks one object as the source of values where possible, so that a name and an etag belong together. Usually one that
   * this caller has seen, and that has the parameters of the operation's path.
   */
  refocus({ path: template }: Operation, caller: FuzzCaller): void {
    const random = this.#random;
    const asked = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const among = random.next() < 0.7 ? this.#seen.filter(({ by }) => by === caller.name) : this.#seen;
    const fitting = among.filter(({ path }) => asked.every((name) => path[name] !== undefined));
    // Often the newest object, so that states become deep.
    const newest = random.next() < 0.2 ? this.#newest : undefined;
    const found = newest ?? this.#oneOf(random.next() < 0.9 ? fitting : among);
    this.#focus = { object: found?.object ?? {}, path: { ...caller.knows, ...found?.path } };
  }

  /** A value that refers to an existing object. */
  recall(name: string): string | undefined {
    if (/^last-?event-?id$/i.test(name)) return this.#oneOf(this.#positions);
    const { object, path } = this.#focus;
    // The destination of a move usually differs from the current parent.
    if (name === 'parent') return this.#oneOf(this.#seen)?.path['workspace'] ?? path['workspace'];
    if (name === 'resource') return path['target'] ? `targets/${path['target']}` : inWorkspace(path);
    const value = path[SEEN_AS[name] ?? name] ?? object[SEEN_AS[name] ?? name];
    return typeof value === 'string' ? value : undefined;
  }

  /** The next page of the list requested last. */
  get continuation(): FuzzRequest | undefined {
    return this.#continuation;
  }

  learn(request: FuzzRequest, { status, headers, body }: FuzzAnswer): void {
    if (status >= 300 || request.method === 'HEAD') return;
    // Objects shown by a dry run do not exist, and those it deletes still do.
    if (/[?&]dryRun=true/.test(request.target)) return;
    if (request.method === 'DELETE') this.#forget(paramsIn(request));
    const type = headers['content-type'] ?? '';
    if (type.startsWith('text/event-stream')) {
      // Only the first: how much of a stream arrives at once varies, and a seed should reproduce the same run.
      const position = /^id: (\S+)$/m.exec(body)?.[1];
      if (position !== undefined) this.#remember(this.#positions, position);
    }
    if (!type.startsWith('application/json')) return;
    const answer = JSON.parse(body) as unknown;
    this.#learnThings(answer, request);
    if (isObject(answer) && typeof answer['nextPageToken'] === 'string') {
      this.#continuation = withParameter(request, 'pageToken', answer['nextPageToken']);
    }
  }

  #learnThings(value: unknown, request: FuzzRequest): void {
    if (Array.isArray(value)) for (const item of value) this.#learnThings(item, request);
    if (!isObject(value)) return;
    const id = value['name'] ?? value['uid'];
    const kind = kindOf(request.operation, this.#operations);
    if (typeof id === 'string' && typeof value['createTime'] === 'string' && kind !== undefined) {
      const seen = { object: value, path: { ...paramsIn(request), [kind]: id }, by: request.caller.name };
      this.#remember(this.#seen, seen);
      this.#newest = seen;
    } else for (const item of Object.values(value)) this.#learnThings(item, request);
  }

  /** Removes a deleted object, and all objects inside it. */
  #forget(gone: Readonly<Record<string, string>>): void {
    const isGone = ({ path }: Seen): boolean => Object.entries(gone).every(([name, value]) => path[name] === value);
    const left = this.#seen.filter((seen) => !isGone(seen));
    this.#seen.splice(0, this.#seen.length, ...left);
  }

  /** Keeps the newest, and a random choice of the older ones. */
  #remember<T>(seen: T[], value: T): void {
    if (seen.length < REMEMBERED) seen.push(value);
    else seen[this.#random.integer(0, REMEMBERED - 1)] = value;
  }

  #oneOf<T>(seen: readonly T[]): T | undefined {
    return seen.length === 0 ? undefined : this.#random.pick(seen);
  }
}

/** The kind of object an operation is about, by its parameter name: for `/things` and `/things/{thing}:paint` it is `thing`. */
function kindOf({ path }: Operation, operations: readonly Operation[]): string | undefined {
  const plain = path.replace(/:\w+$/, '');
  const item = operations.find((other) => other.path.startsWith(`${plain}/{`) && other.path.endsWith('}'));
  return /\{(\w+)\}$/.exec(plain)?.[1] ?? /^\/\{(\w+)\}$/.exec(item?.path.slice(plain.length) ?? '')?.[1];
}

/** The path parameters as sent. */
function paramsIn({ operation, target }: FuzzRequest): Record<string, string> {
  const sent = (target.split('?')[0] ?? '').split('/');
  return Object.fromEntries(
    operation.path.split('/').flatMap((part, index) => {
      const name = /^\{(\w+)\}/.exec(part)?.[1];
      return name === undefined ? [] : [[name, sent[index]?.split(':')[0] ?? '']];
    }),
  );
}

function inWorkspace({ workspace }: Seen['path']): string | undefined {
  return workspace === undefined ? undefined : `workspaces/${workspace}`;
}

function withParameter(request: FuzzRequest, name: string, value: string): FuzzRequest {
  const [path = '', query = ''] = request.target.split('?');
  const others = query.split('&').filter((pair) => pair !== '' && !pair.startsWith(`${name}=`));
  return { ...request, target: `${path}?${[...others, `${name}=${encodeURIComponent(value)}`].join('&')}` };
}

function isObject(value: unknown): value is SeenObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
