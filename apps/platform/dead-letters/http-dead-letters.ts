import { defineListRoute, defineRoute, mutate, NoContent, noContent, ok, type Route } from '#kit/http';
import type { Storage } from '#kit/storage';
import {
  DeadLetterError,
  discardLetter,
  findLetter,
  isReplayable,
  type Letter,
  type LetterKey,
  listLetters,
  replayLetter,
} from '#kit/storage/dead-letters';
import { announceReplay } from '#kit/storage/outbox';
import { DeadLetterParamsSchema, type DeadLetterResource, DeadLetterSchema } from '#protocol/api';

const COLLECTION = '/v1/dead-letters';
const ITEM = `${COLLECTION}/{deadLetter}`;
const tags = ['operations'];

/** `/v1/dead-letters`: what could not be processed, for operators. The messages themselves are not shown. */
export function deadLetterRoutes(storage: Storage): Route[] {
  return [listRoute(storage), getRoute(storage), replayRoute(storage), discardRoute(storage)];
}

function listRoute(storage: Storage): Route {
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listDeadLetters',
    summary: 'List dead letters',
    description: 'Messages of agents and events that could not be processed, by source, subject and code.',
    tags,
    permission: 'deadLetters.read',
    schema: { item: DeadLetterSchema },
    filter: {
      source: 'string',
      subject: 'string',
      code: 'string',
      messages: 'int',
      replayable: 'bool',
      firstTime: 'timestamp',
      lastTime: 'timestamp',
    },
    keyShape: ['string', 'string', 'string'],
    keyOf: ({ source, subject, code }) => [source, subject, code],
    read: async ({ signal }, { after, limit }) => {
      const [source, subject, code] = (after ?? []).map(String);
      const isAfter = source !== undefined && subject !== undefined && code !== undefined;
      const key = isAfter ? ([source, subject, code] as const) : undefined;
      return (await listLetters(storage, { after: key, limit }, signal)).map(toResource);
    },
  });
}

function getRoute(storage: Storage): Route {
  return defineRoute({
    method: 'GET',
    path: ITEM,
    operationId: 'getDeadLetter',
    summary: 'Get a dead letter',
    tags,
    permission: 'deadLetters.read',
    schema: { params: DeadLetterParamsSchema, responses: { 200: DeadLetterSchema } },
    handler: async ({ params, signal }) =>
      ok(toResource(await storage.read((reader) => findLetter(reader, keyOf(params.deadLetter)), signal))),
  });
}

function replayRoute(storage: Storage): Route {
  return defineRoute({
    method: 'POST',
    path: `${ITEM}:replay`,
    operationId: 'replayDeadLetter',
    summary: 'Replay a dead letter',
    description:
      'Processes an event again, before others that wait about the same thing. Messages of agents cannot be replayed (409).',
    tags,
    permission: 'deadLetters.steer',
    schema: { params: DeadLetterParamsSchema, responses: { 200: DeadLetterSchema } },
    handler: async (request) => {
      const answer = await mutate(request, storage, async (tx) => {
        const letter = await findLetter(tx, keyOf(request.params.deadLetter));
        request.changes(toResource(letter));
        await replayLetter(tx, letter, request.time);
        return ok(toResource(letter));
      });
      if (!request.dryRun) await announceReplay(storage, request.signal);
      return answer;
    },
  });
}

function discardRoute(storage: Storage): Route {
  return defineRoute({
    method: 'DELETE',
    path: ITEM,
    operationId: 'discardDeadLetter',
    summary: 'Discard a dead letter',
    description:
      'An event that is discarded is never processed. A letter of an agent begins again with its next message.',
    tags,
    permission: 'deadLetters.steer',
    schema: { params: DeadLetterParamsSchema, responses: { 204: NoContent } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const letter = await findLetter(tx, keyOf(request.params.deadLetter));
        request.changes(toResource(letter));
        await discardLetter(tx, letter);
        return noContent();
      }),
  });
}

function toResource(letter: Letter): DeadLetterResource {
  const { source, subject, code, messages, lastError, firstTime, lastTime } = letter;
  return {
    name: Buffer.from(JSON.stringify([source, subject, code])).toString('base64url'),
    source,
    subject,
    code,
    messages,
    lastError,
    replayable: isReplayable(letter),
    firstTime: new Date(firstTime).toISOString(),
    lastTime: new Date(lastTime).toISOString(),
  };
}

function keyOf(name: string): LetterKey {
  const notFound = new DeadLetterError('DEAD_LETTER_NOT_FOUND', 'There is no such dead letter. List them.');
  let key: unknown;
  try {
    key = JSON.parse(Buffer.from(name, 'base64url').toString());
  } catch {
    throw notFound;
  }
  const [source, subject, code] = Array.isArray(key) ? (key as unknown[]) : [];
  if (typeof source !== 'string' || typeof subject !== 'string' || typeof code !== 'string') throw notFound;
  // Text that no database takes names nothing.
  if ([source, subject, code].some((part) => part.includes('\u0000') || !part.isWellFormed())) throw notFound;
  return [source, subject, code];
}
