import { type TObject, Type } from 'typebox';
import { type Clock, sleep as realSleep, type Sleep, systemClock } from '#kit/std';
import { HttpError } from '../errors/http-error.ts';
import { type FilterFields, FilterLanguage, MAX_FILTER_LENGTH, type Predicate } from '../lists/filter.ts';
import type { HttpLog } from '../ports.ts';
import { checkRoute } from '../routes/check-route.ts';
import type { WhoIs } from '../routes/define-route.ts';
import type { AnyRequest, ByteStream, Permission, Route, RouteInfo } from '../routes/route.ts';
import { type Framed, frameCursor, frameRetry } from './event-frame.ts';
import { type EventIds, plainEventIds } from './event-ids.ts';
import type { EventRecord, EventSource } from './event-source.ts';
import { startOf } from './event-start.ts';
import { EventTail, type TailLimits, type TailReader } from './event-tail.ts';

export interface EventStreamDefinition<Event extends EventRecord, Needs extends Permission>
  extends Pick<RouteInfo, 'path' | 'operationId' | 'summary' | 'description' | 'tags' | 'reach'> {
  readonly permission: Needs;
  readonly source: EventSource<Event>;
  /** The `data` of an event. */
  view(event: Event): object;
  /** The fields of the view that `filter` may name. */
  readonly filter: FilterFields;
  /** All existing types, if they are a closed set; `types` then accepts no others. */
  readonly types?: readonly string[];
  /** Whether this caller may see the event; called for each event. */
  visible(principal: WhoIs<Needs>, event: Event, signal: AbortSignal): boolean | Promise<boolean>;
}

export interface EventStreamDeps {
  readonly log: HttpLog;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly heartbeatMs?: number;
  /** A stream is closed after this time; the client reconnects by itself, perhaps to another process. */
  readonly maxAgeMs?: number;
  readonly tail?: Partial<TailLimits>;
  /** How positions are encoded for clients; as plain numbers by default. */
  readonly ids?: EventIds;
}

interface StreamQuery {
  readonly lastEventId?: string;
  readonly from?: 'now' | 'beginning';
  readonly types?: readonly string[];
  readonly filter?: string;
}

const RECONNECT_MS = 2000;

/** Server-sent events: live, and resumable by `Last-Event-ID`. */
export function defineEventStream<Event extends EventRecord, const Needs extends Permission>(
  definition: EventStreamDefinition<Event, Needs>,
  deps: EventStreamDeps,
): Route {
  const { path, operationId, summary, description, tags, permission, source, reach } = definition;
  const language = new FilterLanguage(definition.filter);
  const view = (event: Event): object => definition.view(event);
  const { ids = plainEventIds } = deps;
  const tail = new EventTail({
    source,
    view,
    ids,
    sleep: deps.sleep ?? realSleep,
    log: deps.log,
    limits: deps.tail ?? {},
  });
  return checkRoute({
    method: 'GET',
    path,
    operationId,
    summary,
    permission,
    produces: 'text/event-stream',
    ...(description === undefined ? {} : { description }),
    ...(tags === undefined ? {} : { tags }),
    ...(reach === undefined ? {} : { reach }),
    schema: {
      query: streamQuery(definition.types, language),
      responses: {
        200: Type.String({ description: 'Server-sent events: `id`, `event` (the type) and `data` (JSON).' }),
      },
    },
    respond: {
      kind: 'stream',
      open: async (request) => {
        const { types, filter, ...start } = request.query as StreamQuery;
        const header = request.headers['last-event-id'];
        const wishes = { header, lastEventId: start.lastEventId, from: start.from };
        const matches = filter === undefined ? undefined : language.compile(filter);
        const after = await startOf({ source, ids }, wishes, request.signal);
        const shows = chooser(definition, { types, matches }, request);
        const isKnown = (signal: AbortSignal): Promise<boolean> => isStillKnown(request, signal);
        return eventStream({ tail, ids, shows, isKnown, after }, deps);
      },
    },
  });
}

interface Selection {
  readonly types: readonly string[] | undefined;
  readonly matches: Predicate | undefined;
}

type Shows<Event extends EventRecord> = (framed: Framed<Event>, signal: AbortSignal) => boolean | Promise<boolean>;

function chooser<Event extends EventRecord, Needs extends Permission>(
  definition: EventStreamDefinition<Event, Needs>,
  { types, matches }: Selection,
  { principal }: AnyRequest,
): Shows<Event> {
  const wanted = types === undefined ? undefined : new Set(types);
  return ({ event, view }, signal) =>
    (wanted?.has(event.type) ?? true) &&
    (matches === undefined || holds(matches, view)) &&
    definition.visible(principal as WhoIs<Needs>, event, signal);
}

/** If a filter cannot be evaluated for an event, the event does not match: an open stream cannot report an error. */
function holds(matches: Predicate, view: object): boolean {
  try {
    return matches(view);
  } catch (error) {
    if (error instanceof HttpError && error.code === 'INVALID_FILTER') return false;
    throw error;
  }
}

/** If the credentials cannot be checked now, the stream ends; the client reconnects and gets the error then. */
async function isStillKnown(request: AnyRequest, signal: AbortSignal): Promise<boolean> {
  try {
    return request.principal === undefined || (await request.isStillKnown(signal));
  } catch {
    return false;
  }
}

interface StreamParts<Event extends EventRecord> {
  readonly tail: EventTail<Event>;
  readonly ids: EventIds;
  readonly shows: Shows<Event>;
  /** Revoked credentials must not see later events. */
  readonly isKnown: (signal: AbortSignal) => Promise<boolean>;
  readonly after: number;
}

function eventStream<Event extends EventRecord>(parts: StreamParts<Event>, deps: EventStreamDeps): ByteStream {
  return {
    contentType: 'text/event-stream',
    // A comment line, which clients ignore.
    lastWords: (message) => `: ${message}\n\n`,
    run: async (write, signal) => {
      await parts.tail.follow((reader) => tell(parts, { reader, write, deps }, signal));
    },
  };
}

interface Telling<Event extends EventRecord> {
  readonly reader: TailReader<Event>;
  readonly write: (chunk: string) => Promise<void>;
  readonly deps: EventStreamDeps;
}

/**
 * Returns when the client should reconnect: the maximum age is reached, the client fell behind the retained events, or
 * its credentials are no longer valid.
 */
async function tell<Event extends EventRecord>(
  { shows, ids, isKnown, after }: StreamParts<Event>,
  { reader, write, deps }: Telling<Event>,
  signal: AbortSignal,
): Promise<void> {
  const { clock = systemClock, heartbeatMs = 15_000, maxAgeMs = 30 * 60_000 } = deps;
  const endsAt = clock.now() + maxAgeMs;
  let [cursor, wroteAt] = [after, clock.now()];
  const say = async (chunk: string): Promise<void> => {
    await write(chunk);
    wroteAt = clock.now();
  };
  await say(frameRetry(RECONNECT_MS) + frameCursor(ids.write(after)));
  while (!signal.aborted && clock.now() < endsAt) {
    const page = await reader.page(cursor, signal);
    if (page === undefined) return;
    if (page.events.length > 0 && !(await isKnown(signal))) return;
    for (const framed of page.events) {
      if (await shows(framed, signal)) await say(framed.frame);
    }
    cursor = page.upTo;
    const quietMs = wroteAt + heartbeatMs - clock.now();
    if (page.events.length === 0 && quietMs > 0) await reader.waitBeyond(cursor, quietMs, signal);
    if (clock.now() - wroteAt < heartbeatMs) continue;
    if (!(await isKnown(signal))) return;
    // Sent whether or not events were hidden meanwhile, so that clients cannot detect hidden events.
    await say(frameCursor(ids.write(cursor)));
  }
}

function streamQuery(types: readonly string[] | undefined, language: FilterLanguage): TObject {
  return Type.Object({
    lastEventId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Resume after this event. The header `Last-Event-ID` takes precedence.',
      }),
    ),
    from: Type.Optional(
      Type.Enum(['now', 'beginning'], {
        description: 'Where to begin without a last event id; `now` by default.',
      }),
    ),
    types: Type.Optional(
      Type.Array(types ? Type.Enum([...types]) : Type.String({ minLength: 1 }), {
        minItems: 1,
        maxItems: 50,
        description: 'Only events of these types; repeat the parameter for several.',
      }),
    ),
    filter: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_FILTER_LENGTH, description: language.describe() }),
    ),
  });
}
