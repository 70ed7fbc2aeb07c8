import { ACCESS_EVENTS } from '#contexts/access';
import { ENROLMENT_EVENTS } from '#contexts/enrolment';
import { IDENTITY_EVENTS } from '#contexts/identity';
import { TARGET_EVENTS } from '#contexts/targets';
import { WORKSPACE_EVENTS } from '#contexts/workspaces';
import { defineEventStream, type EventIds, type HttpLog, type Principal, type Route } from '#kit/http';
import type { EventLog, StoredEvent } from '#kit/storage/outbox';
import { DEPLOYMENT_EVENTS } from '#protocol/api';

export interface EventStreamParts {
  readonly events: EventLog;
  readonly ids: EventIds;
  readonly log: HttpLog;
  readonly mayRead: (principal: Principal, event: StoredEvent, signal: AbortSignal) => Promise<boolean>;
}

/** `GET /v1/events`: the events that the caller may see. */
export function eventStream({ events, ids, log, mayRead }: EventStreamParts): Route {
  return defineEventStream(
    {
      path: '/v1/events',
      operationId: 'streamEvents',
      summary: 'Stream events',
      description:
        'Server-sent events that the caller may read. After a lost connection send `Last-Event-ID` to continue where it ended.',
      tags: ['events'],
      permission: 'events.read',
      reach: 'filtered',
      source: events,
      types: [
        ...WORKSPACE_EVENTS,
        ...TARGET_EVENTS,
        ...DEPLOYMENT_EVENTS,
        ...ACCESS_EVENTS,
        ...IDENTITY_EVENTS,
        ...ENROLMENT_EVENTS,
      ],
      view,
      // Types are selected by the parameter `types`: `type` is a function in CEL.
      filter: { id: 'string', time: 'timestamp', workspace: 'string', subject: 'string' },
      visible: mayRead,
    },
    { log, ids },
  );
}

/** The outbox's key is the subject of the event, and its scope is the workspace of the subject. */
function view({ id, type, time, scope, key, data }: StoredEvent): object {
  return { id, type, time: new Date(time).toISOString(), workspace: scope, subject: key, data: shown(type, data) };
}

/** The reader may not be allowed to know the previous place of a workspace. */
function shown(type: string, data: unknown): unknown {
  if (type !== 'workspace.moved') return data;
  const { from: _, ...workspace } = data as { readonly from?: unknown };
  return workspace;
}
