import type { Static, TObject } from 'typebox';
import type { ApiClient, Query } from '../client/api-client.ts';
import type { Place, PlaceFlag } from './place.ts';

/** A thing as the API shows it; which fields it has is checked by the schema of its kind. */
export type Resource = Readonly<Record<string, unknown>>;

export interface Column<Item> {
  readonly heading: string;
  /** Only with `-o wide`. */
  readonly wide?: true;
  cell(item: Item): string | undefined;
}

/** Where things of a kind are, below `/v1`. */
export interface Collection {
  readonly path: readonly string[];
  readonly query?: Query;
}

/** A heading and what stands below it. */
export interface Section {
  readonly title: string;
  readonly text: string;
}

export interface Detail<Item> {
  readonly item: Item;
  readonly api: ApiClient;
}

/** How `apply` brings a thing to what a document says. */
export interface ApplyRules<Item> {
  /** What a document may say below `spec`, and what is sent to make one; loaded on demand. */
  readonly spec: () => Promise<TObject>;
  /** Fields of the spec that are sent in a merge patch; all others never change. */
  readonly patched: readonly string[];
  /** Of those, the ones that the API replaces as a whole. */
  readonly replaced?: readonly string[];
  /** Of those, the ones that have a `type`: with another one, the API takes them as a whole. */
  readonly typed?: readonly string[];
  /** Which fields beside the spec say where it is. */
  readonly place?: readonly ('workspace' | 'target')[];
  /** Fields that making one does not take: they are patched right behind it. */
  readonly afterwards?: readonly string[];
  /** Fields that the API shows nothing of, so that they cannot be compared. */
  readonly hidden?: readonly string[];
  /** A field that is changed by a verb of its own: `parent` by `:move`. */
  readonly verb?: { readonly field: string; readonly verb: string; readonly answer?: string };
  /** Made and changed by one PUT of everything. */
  readonly put?: true;
  /** What has to be there before, as `workspace/shop`. */
  needs(document: { readonly place: Place; readonly spec: Resource }): readonly string[];
  /** Fields of the spec that the place says, so that a document does not. */
  fromPlace?(place: Place): Resource;
  /** Fields that the API shows and works out by itself, so that a document does not say them. */
  derived?(item: Item): readonly string[];
  /** Where it is, as a document says it. */
  placeOf?(item: Item): Resource;
}

/** The types of events that tell of things of a kind. */
export interface KindEvents {
  readonly changed: readonly string[];
  readonly gone: readonly string[];
  /** It is no longer in the workspace that it is said to be in. */
  readonly left?: readonly string[];
}

interface KindFields<Item> {
  /** `workspace`, in `workspace/web`. */
  readonly name: string;
  readonly plural: string;
  readonly short?: string;
  /** What documents call it: `Workspace`. */
  readonly title: string;
  readonly summary: string;
  /** The flags that say which of them are meant. */
  readonly takes: readonly PlaceFlag[];
  readonly columns: readonly Column<Item>[];
  /** How many are listed unless told otherwise; all, without. */
  readonly limit?: number;
  /** What only passes by, such as an entry of a log, has no name. */
  readonly nameOf?: (this: void, item: Item) => string;
  /** All of them at a place. */
  list(place: Place): Collection;
  /** Where one of them is found by its name; the list, without `query`, unless told otherwise. */
  home?(place: Place): readonly string[];
  /** The API has no way to read a single one: it is looked for in the list. */
  readonly onlyListed?: true;
  readonly deletable?: true;
  readonly labelled?: true;
  readonly events?: KindEvents;
  /** Whether one that an event tells of is among those at the place. */
  isAt?(item: Item, place: Place): boolean;
  readonly apply?: ApplyRules<Item>;
  /** What `describe` tells beyond the fields. */
  details?(detail: Detail<Item>, signal: AbortSignal): Promise<readonly Section[]>;
}

/** A kind of thing that the generic verbs work with. */
export interface Kind extends KindFields<Resource> {
  /** Loaded on demand: a request is on its way before the modules that check its answer are there. */
  readonly schema: () => Promise<TObject>;
}

export type KindDefinition<S extends TObject> = KindFields<Static<S>> & { readonly schema: () => Promise<S> };

/**
 * Every answer is checked against the schema before a kind sees it, which is what makes it sound to forget here, once,
 * that a kind knows more of its things than the verbs do.
 */
export function defineKind<S extends TObject>(definition: KindDefinition<S>): Kind {
  return definition as unknown as Kind;
}
