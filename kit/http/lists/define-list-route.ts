import { type Static, type TObject, Type } from 'typebox';
import { type DeepReadonly, ok } from '../routes/answer.ts';
import { defineRoute, type PartOf, type WhoIs } from '../routes/define-route.ts';
import type { AnyRequest, Permission, Route, RouteInfo } from '../routes/route.ts';
import type { RouteRequest } from '../routes/route-request.ts';
import { type FilterFields, FilterLanguage, MAX_FILTER_LENGTH } from './filter.ts';
import { pageThrough, type ScanBudget } from './page-through.ts';
import { type PageKey, type PageKeyShape, PageTokens } from './page-token.ts';

const MAX_PAGE_SIZE = 1000;
const DEFAULT_PAGE_SIZE = 100;

/** The range to read: items after the key, in key order, up to the limit. */
export interface Chunk {
  readonly after: PageKey | undefined;
  readonly limit: number;
}

export interface ListSchema {
  readonly params?: TObject;
  /** Parameters of this list besides `pageSize`, `pageToken` and `filter`. */
  readonly query?: TObject;
  readonly item: TObject;
}

export interface ListDefinition<Schema extends ListSchema, Needs extends Permission>
  extends Pick<RouteInfo, 'path' | 'operationId' | 'summary' | 'description' | 'tags' | 'reach'> {
  readonly permission: Needs;
  readonly schema: Schema;
  /** The fields of the item that `filter` may name. */
  readonly filter: FilterFields;
  /** The types of the parts of the sort key; a single string by default. */
  readonly keyShape?: PageKeyShape;
  readonly budget?: ScanBudget;
  /** Items in key order, strictly after the key. Fewer than the limit means that there are no more. */
  read(request: ListRequest<Schema, Needs>, chunk: Chunk): Promise<readonly ItemOf<Schema>[]>;
  keyOf(item: ItemOf<Schema>): PageKey;
  /** Whether this caller may see the item; by default all items are visible. */
  visible?(request: ListRequest<Schema, Needs>, item: ItemOf<Schema>): boolean | Promise<boolean>;
}

type ItemOf<Schema extends ListSchema> = DeepReadonly<Static<Schema['item']>>;
type ListRequest<Schema extends ListSchema, Needs extends Permission> = RouteRequest<
  PartOf<Schema['params']>,
  PartOf<Schema['query']>,
  undefined,
  WhoIs<Needs>
>;

interface PageQuery {
  readonly pageSize?: number;
  readonly pageToken?: string;
  readonly filter?: string;
}

/** A list with pages and a filter: `{ items, nextPageToken }`. */
export function defineListRoute<const Schema extends ListSchema, const Needs extends Permission>(
  list: ListDefinition<Schema, Needs>,
): Route {
  const language = new FilterLanguage(list.filter);
  const { path, operationId, summary, description, tags, permission, schema, reach } = list;
  return defineRoute({
    method: 'GET',
    path,
    operationId,
    summary,
    permission,
    ...(description === undefined ? {} : { description }),
    ...(tags === undefined ? {} : { tags }),
    ...(reach === undefined ? {} : { reach }),
    schema: {
      ...(schema.params ? { params: schema.params } : {}),
      query: Type.Object({ ...schema.query?.properties, ...pageParameters(language) }),
      responses: { 200: pageOf(schema.item) },
    },
    handler: async (request: AnyRequest) => ok(await readPage(list, language, request)),
  });
}

async function readPage<Schema extends ListSchema, Needs extends Permission>(
  list: ListDefinition<Schema, Needs>,
  language: FilterLanguage,
  anyRequest: AnyRequest,
): Promise<{ items: readonly ItemOf<Schema>[]; nextPageToken?: string }> {
  const request = anyRequest as unknown as ListRequest<Schema, Needs>;
  const { pageSize = DEFAULT_PAGE_SIZE, pageToken, ...identity } = anyRequest.query as PageQuery;
  const { operationId, params } = anyRequest;
  const tokens = new PageTokens({ operationId, params, identity }, list.keyShape ?? ['string']);
  const keep = keeper(list, identity.filter === undefined ? undefined : language.compile(identity.filter), request);
  const page = await pageThrough(
    {
      fetchChunk: (after, limit) => list.read(request, { after, limit }),
      keyOf: (item: ItemOf<Schema>) => list.keyOf(item),
      ...(keep ? { keep } : {}),
      ...(list.budget ? { budget: list.budget } : {}),
      after: pageToken === undefined ? undefined : tokens.decode(pageToken),
      pageSize,
    },
    anyRequest.signal,
  );
  return { items: page.items, ...(page.next ? { nextPageToken: tokens.encode(page.next) } : {}) };
}

function keeper<Schema extends ListSchema, Needs extends Permission>(
  list: ListDefinition<Schema, Needs>,
  matches: ((item: unknown) => boolean) | undefined,
  request: ListRequest<Schema, Needs>,
): ((item: ItemOf<Schema>) => boolean | Promise<boolean>) | undefined {
  if (list.visible === undefined) return matches;
  return (item) => (matches?.(item) ?? true) && (list.visible?.(request, item) ?? true);
}

function pageParameters(language: FilterLanguage) {
  return {
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PAGE_SIZE,
        description: `The maximum number of items; ${DEFAULT_PAGE_SIZE} by default.`,
      }),
    ),
    pageToken: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The `nextPageToken` of the previous page, for the same list and filter.',
      }),
    ),
    filter: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_FILTER_LENGTH, description: language.describe() }),
    ),
  };
}

function pageOf(item: TObject) {
  return Type.Object({
    items: Type.Array(item),
    nextPageToken: Type.Optional(
      Type.String({ description: 'Present when there may be more. A page can be short and still have a next one.' }),
    ),
  });
}
