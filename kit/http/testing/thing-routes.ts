import { type Static, Type } from 'typebox';
import { RESOURCE_NAME_MAX_LENGTH, RESOURCE_NAME_PATTERN } from '#kit/std';
import type { Storage } from '#kit/storage';
import {
  created,
  defineListRoute,
  defineRoute,
  etagOf,
  mutate,
  NoContent,
  noContent,
  ok,
  type Route,
} from '../index.ts';
import { deleteThing, insertThing, listThings, loadThing, paintThing, type Thing } from './thing-store.ts';

const Name = Type.String({ pattern: RESOURCE_NAME_PATTERN, maxLength: RESOURCE_NAME_MAX_LENGTH, examples: ['lamp'] });
const Color = Type.Enum(['red', 'green']);
const ThingView = Type.Object(
  { name: Name, uid: Type.String({ format: 'uuid' }), color: Color, etag: Type.String() },
  { title: 'Thing' },
);
const ByName = Type.Object({ name: Name });

export function thingRoutes(storage: Storage): readonly Route[] {
  return [
    defineListRoute({
      path: '/v1/things',
      operationId: 'listThings',
      summary: 'List the things',
      permission: 'things.list',
      schema: { item: ThingView },
      filter: { name: 'string', color: 'string' },
      read: async ({ signal }, chunk) => (await listThings(storage, chunk, signal)).map(view),
      keyOf: (thing) => [thing.name],
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/things',
      operationId: 'createThing',
      summary: 'Create a thing',
      permission: 'things.create',
      idempotency: 'replay',
      etag: true,
      schema: { body: Type.Object({ name: Name, color: Color }), responses: { 201: ThingView } },
      handler: (request) =>
        mutate(request, storage, async (tx) => {
          const thing = await insertThing(tx, request.body.name, request.body.color);
          return created(view(thing), `/v1/things/${thing.name}`);
        }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/things/{name}',
      operationId: 'getThing',
      summary: 'Read a thing',
      permission: 'things.read',
      etag: true,
      schema: { params: ByName, responses: { 200: ThingView } },
      handler: async ({ params, signal }) =>
        ok(view(await storage.read((reader) => loadThing(reader, params.name), signal))),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/things/{name}:paint',
      operationId: 'paintThing',
      summary: 'Give a thing another color',
      permission: 'things.paint',
      etag: true,
      ifMatch: 'optional',
      schema: { params: ByName, body: Type.Object({ color: Color }), responses: { 200: ThingView } },
      handler: (request) =>
        mutate(request, storage, async (tx) => {
          const thing = await loadThing(tx, request.params.name);
          request.ifMatch.check(thing);
          request.changes(view(thing));
          return ok(view(await paintThing(tx, thing, request.body.color)));
        }),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/things/{name}',
      operationId: 'deleteThing',
      summary: 'Delete a thing',
      permission: 'things.delete',
      ifMatch: 'required',
      schema: { params: ByName, responses: { 204: NoContent } },
      handler: (request) =>
        mutate(request, storage, async (tx) => {
          const thing = await loadThing(tx, request.params.name);
          request.ifMatch.check(thing);
          request.changes(view(thing));
          await deleteThing(tx, thing);
          return noContent();
        }),
    }),
  ];
}

function view(thing: Thing): Static<typeof ThingView> {
  return { name: thing.name, uid: thing.uid, color: thing.color, etag: etagOf(thing) };
}
