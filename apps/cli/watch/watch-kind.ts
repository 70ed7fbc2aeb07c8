import type { Random, Sleep } from '#kit/std';
import type { ApiClient } from '../client/api-client.ts';
import type { ServerEvent } from '../client/server-events.ts';
import type { Kind, KindEvents, Resource } from '../kinds/kind.ts';
import type { LabelSelector } from '../kinds/label-selector.ts';
import type { Place } from '../kinds/place.ts';
import { readList } from '../kinds/read-list.ts';
import { followEvents } from './follow-events.ts';

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'REMOVED';
  readonly item: Resource;
}

export interface Watching {
  readonly api: ApiClient;
  readonly kind: Kind;
  readonly events: KindEvents;
  readonly place: Place;
  readonly selector: LabelSelector | undefined;
  readonly sleep: Sleep;
  readonly random: Random;
  /** Several at once at the start and after a gap. */
  readonly tell: (changes: readonly Change[]) => void;
  /** Tells the user why no events arrive. */
  readonly note: (text: string) => void;
}

/** Reports the current resources and then their changes, until the signal aborts. */
export async function watchKind(watching: Watching, signal: AbortSignal): Promise<never> {
  const { events } = watching;
  const known = new KnownItems(watching);
  return await followEvents(
    {
      ...watching,
      types: [...events.changed, ...events.gone, ...(events.left ?? [])],
      begin: (within) => known.readAll(within),
      take: (event, within) => known.take(event, within),
    },
    signal,
  );
}

/** The reported resources, so that events can be reported as changes to them. */
class KnownItems {
  readonly #watching: Watching;
  readonly #items = new Map<string, Resource>();

  constructor(watching: Watching) {
    this.#watching = watching;
  }

  async readAll(signal: AbortSignal): Promise<void> {
    const { api, kind, place, selector, tell } = this.#watching;
    const query = selector === undefined ? {} : { filter: selector.toFilter() };
    const { items } = await readList(api, { kind, place, query }, signal);
    const names = new Set(items.map((item) => this.#nameOf(item)));
    const gone = [...this.#items.values()].filter((item) => !names.has(this.#nameOf(item)));
    const changes = [...items.flatMap((item) => this.#put(item)), ...gone.flatMap((item) => this.#drop(item))];
    tell(changes);
  }

  async take({ type = '', data }: ServerEvent, signal: AbortSignal): Promise<void> {
    const { kind, events, place, tell } = this.#watching;
    const { data: said } = (data ?? {}) as { readonly data?: Resource };
    const known = said && this.#items.get(this.#nameOf(said));
    const resource = await wholeOf(kind, said, known);
    if (resource === undefined) {
      // If this version cannot tell the whole resource, it lists all of them again, unless it is one of elsewhere.
      if (said === undefined || known !== undefined || this.#isWanted(said)) await this.readAll(signal);
      return;
    }
    const hasLeft = events.left?.includes(type) && place.workspace !== undefined && this.#isAt(resource);
    const isGone = events.gone.includes(type) || hasLeft;
    if (events.left?.includes(type) && !hasLeft) return;
    const changes = isGone || !this.#isWanted(resource) ? this.#drop(resource) : this.#put(resource);
    if (changes.length > 0) tell(changes);
  }

  #put(item: Resource): Change[] {
    const name = this.#nameOf(item);
    const before = this.#items.get(name);
    this.#items.set(name, item);
    if (before === undefined) return [{ type: 'ADDED', item }];
    return sameState(before, item) ? [] : [{ type: 'MODIFIED', item }];
  }

  #drop(item: Resource): Change[] {
    return this.#items.delete(this.#nameOf(item)) ? [{ type: 'REMOVED', item }] : [];
  }

  #isWanted(item: Resource): boolean {
    const labels = item as unknown as Parameters<LabelSelector['matches']>[0];
    return this.#isAt(item) && (this.#watching.selector?.matches(labels) ?? true);
  }

  #isAt(item: Resource): boolean {
    return this.#watching.kind.isAt?.(item, this.#watching.place) ?? true;
  }

  #nameOf(item: Resource): string {
    return this.#watching.kind.nameOf?.(item) ?? '';
  }
}

/** Events leave out what the known resource has already, as long as it is of the same generation. */
async function wholeOf(kind: Kind, said: Resource | undefined, known: Resource | undefined) {
  const { Value } = await import('typebox/value');
  const schema = await kind.schema();
  if (said === undefined || Value.Check(schema, said)) return said;
  const isSame = known?.['uid'] === said['uid'] && known?.['generation'] === said['generation'];
  const whole = { ...known, ...said };
  return isSame && Value.Check(schema, whole) ? whole : undefined;
}

function sameState(a: Resource, b: Resource): boolean {
  return a['etag'] !== undefined && a['etag'] === b['etag'];
}
