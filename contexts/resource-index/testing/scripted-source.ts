import { BoundedQueue } from '#kit/std';
import type { ObjectSource, SourceEvent } from '../application/feed/object-source.ts';
import { keyText } from '../domain/indexed-object.ts';
import type { ObservedObject } from '../domain/observed-object.ts';

/** Objects controlled by a test. */
export class ScriptedSource implements ObjectSource {
  readonly #objects = new Map<string, Map<string, ObservedObject>>();
  readonly #watchers = new Map<string, Set<BoundedQueue<SourceEvent>>>();
  /** How many lists were started. */
  lists = 0;

  put(object: ObservedObject): void {
    this.#of(object.key.type).set(keyText(object.key), object);
    this.#tell(object.key.type, { kind: 'object', object });
  }

  remove({ key }: ObservedObject): void {
    if (this.#of(key.type).delete(keyText(key))) this.#tell(key.type, { kind: 'gone', key });
  }

  all(type: string): readonly ObservedObject[] {
    return [...this.#of(type).values()];
  }

  /** Changes made in `meanwhile` are not reported. Afterwards watchers see two new lists, of which the first is incomplete. */
  forget(type: string, meanwhile: () => void): void {
    const watchers = this.#watchers.get(type) ?? new Set();
    this.#watchers.set(type, new Set());
    meanwhile();
    this.#watchers.set(type, watchers);
    const [first] = this.all(type);
    this.#tell(type, { kind: 'listing' });
    if (first !== undefined) this.#tell(type, { kind: 'object', object: first });
    for (const event of this.#list(type)) this.#tell(type, event);
  }

  say(type: string, event: SourceEvent): void {
    this.#tell(type, event);
  }

  async *follow(type: string, signal: AbortSignal): AsyncGenerator<SourceEvent, void, void> {
    this.lists += 1;
    const queue = new BoundedQueue<SourceEvent>({ capacity: 100_000, whenFull: 'block' });
    const watchers = this.#watchers.get(type) ?? new Set();
    this.#watchers.set(type, watchers.add(queue));
    const listed = this.#list(type);
    try {
      yield* listed;
      yield* queue.items(signal);
    } finally {
      watchers.delete(queue);
      this.#watchers.get(type)?.delete(queue);
    }
  }

  #list(type: string): SourceEvent[] {
    const objects = this.all(type).map((object): SourceEvent => ({ kind: 'object', object }));
    return [{ kind: 'listing' }, ...objects, { kind: 'listed' }];
  }

  #of(type: string): Map<string, ObservedObject> {
    const found = this.#objects.get(type) ?? new Map<string, ObservedObject>();
    this.#objects.set(type, found);
    return found;
  }

  #tell(type: string, event: SourceEvent): void {
    for (const queue of this.#watchers.get(type) ?? []) {
      queue.push(event, new AbortController().signal).catch(() => {});
    }
  }
}
