import type { Static, TObject } from 'typebox';
import type { ApiClient, Query } from '../client/api-client.ts';
import type { LazySchema } from '../client/lazy-schema.ts';
import { COMPILED_SCHEMAS } from './compiled-schemas.ts';
import type { Place, PlaceFlag } from './place.ts';

/** A resource as in the API; the schema of its kind checks the fields. */
export type Resource = Readonly<Record<string, unknown>>;

export interface Column<Item> {
  readonly heading: string;
  /** Only with `-o wide`. */
  readonly wide?: true;
  cell(item: Item): string | undefined;
}

/** The location of resources of a kind, below `/v1`. */
export interface Collection {
  readonly path: readonly string[];
  readonly query?: Query;
}

/** A heading and the text below it. */
export interface Section {
  readonly title: string;
  readonly text: string;
}

export interface Detail<Item> {
  readonly item: Item;
  readonly api: ApiClient;
}

/** How `apply` brings a resource to the state of a document. */
export interface ApplyRules<Item> {
  /** The schema of `spec` in a document, which is also the body of a create; loaded on demand. */
  readonly spec: () => Promise<TObject>;
  /** Fields of the spec that a merge patch may contain; all others are immutable. */
  readonly patched: readonly string[];
  /** Patchable fields that the API replaces as a whole. */
  readonly replaced?: readonly string[];
  /** Patchable fields with a `type`: a different `type` makes the API replace them as a whole. */
  readonly typed?: readonly string[];
  /** Fields beside the spec that name the place. */
  readonly place?: readonly ('workspace' | 'target')[];
  /** Fields that a create does not accept: they are patched right after it. */
  readonly afterwards?: readonly string[];
  /** Write-only fields, which cannot be compared. */
  readonly hidden?: readonly string[];
  /** A field that is changed by its own verb: `parent` by `:move`. */
  readonly verb?: { readonly field: string; readonly verb: string; readonly answer?: string };
  /** Created and changed by a PUT of the whole resource. */
  readonly put?: true;
  /** Dependencies that must exist first, as `workspace/shop`. */
  needs(document: { readonly place: Place; readonly spec: Resource }): readonly string[];
  /** Fields of the spec that are derived from the place, so a document omits them. */
  fromPlace?(place: Place): Resource;
  /** Fields that the platform computes, so a document omits them. */
  derived?(item: Item): readonly string[];
  /** The place of a resource, as a document states it. */
  placeOf?(item: Item): Resource;
}

/** The event types of resources of a kind. */
export interface KindEvents {
  readonly changed: readonly string[];
  readonly gone: readonly string[];
  /** The resource is no longer in the workspace that the event names. */
  readonly left?: readonly string[];
}

interface KindFields<Item> {
  /** `workspace`, in `workspace/web`. */
  readonly name: string;
  readonly plural: string;
  readonly short?: string;
  /** The kind in documents: `Workspace`. */
  readonly title: string;
  readonly summary: string;
  /** The flags that select resources. */
  readonly takes: readonly PlaceFlag[];
  readonly columns: readonly Column<Item>[];
  /** The default limit of a list; without it, all are listed. */
  readonly limit?: number;
  /** Whether items have no name, such as entries of a log. */
  readonly nameOf?: (this: void, item: Item) => string;
  /** The list at a place. */
  list(place: Place): Collection;
  /** The path of a single resource by name; defaults to the path of the list without `query`. */
  home?(place: Place): readonly string[];
  /** The API cannot read a single resource of this kind: it is looked up in the list. */
  readonly onlyListed?: true;
  readonly deletable?: true;
  readonly labelled?: true;
  readonly events?: KindEvents;
  /** Whether a resource from an event is among those at the place. */
  isAt?(item: Item, place: Place): boolean;
  readonly apply?: ApplyRules<Item>;
  /** Additional sections of `describe`. */
  details?(detail: Detail<Item>, signal: AbortSignal): Promise<readonly Section[]>;
}

/** A kind of resource that the generic commands support. */
export interface Kind extends KindFields<Resource> {
  /** Loaded on demand: the request is sent before the modules that check the response are loaded. */
  readonly schema: () => Promise<TObject>;
}

/** What checks the resources of a kind in a response. */
export function schemaOf({ name, schema }: Kind): LazySchema<TObject> {
  const check = COMPILED_SCHEMAS[name];
  return check === undefined ? schema : { check };
}

export type KindDefinition<S extends TObject> = KindFields<Static<S>> & { readonly schema: () => Promise<S> };

/**
 * Every response is checked against the schema before a kind sees it, so it is sound to erase the specific resource
 * type here.
 */
export function defineKind<S extends TObject>(definition: KindDefinition<S>): Kind {
  return definition as unknown as Kind;
}
