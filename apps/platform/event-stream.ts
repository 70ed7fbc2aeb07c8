import { WORKSPACE_EVENTS } from '#contexts/workspaces';
import { defineEventStream, type HttpLog, type Route } from '#kit/http';
import type { EventLog, StoredEvent } from '#kit/storage/outbox';

export interface EventStreamParts {
  readonly events: EventLog;
  readonly log: HttpLog;
}

/** `GET /v1/events`: the outbox as the world may see it. */
export function eventStream({ events, log }: EventStreamParts): Route {
  return defineEventStream(
    {
      path: '/v1/events',
      operationId: 'streamEvents',
      summary: 'Follow what happens',
      description: 'Server-sent events. After a lost connection send `Last-Event-ID` to go on where it ended.',
      tags: ['events'],
      permission: 'events.read',
      source: events,
      types: WORKSPACE_EVENTS,
      view,
      // The type is chosen by `types`: in CEL that word is a function.
      filter: { id: 'string', time: 'timestamp', workspace: 'string', subject: 'string' },
      // Whoever may read events may read all of them, until access is given by workspace.
      visible: () => true,
    },
    { log },
  );
}

/** The outbox's key is what the event is about, and its scope is the workspace that this belongs to. */
function view({ id, type, time, scope, key, data }: StoredEvent): object {
  return { id, type, time: new Date(time).toISOString(), workspace: scope, subject: key, data };
}
