import type { FieldFault } from '#kit/std';
import type { Document } from '#protocol/delivery';
import type { GenerateContext } from './generate-context.ts';
import type { Parsed } from './parsed.ts';

/** A deployment's manifest as its API takes it. The fields are those of its type, and have passed its schema. */
export type ManifestSpec = { readonly type: string; readonly [field: string]: unknown };

/** What to deploy. `Ready` is what the strategy makes of its spec, once for all targets. */
export interface ManifestStrategy<Spec extends ManifestSpec = ManifestSpec, Ready = unknown> {
  readonly type: Spec['type'];
  /** What a schema cannot see, all of it at once. `at` is the JSON pointer to the spec. */
  parse(spec: Spec, at: string): Parsed<Ready>;
  /** The same spec with a mark on what is secret in it beside what is marked already. Missing where nothing can be. */
  hide?(spec: Spec): Spec;
  /** The fields of a target that make a difference, as JSON pointers into it: a change elsewhere regenerates nothing. */
  reads(ready: Ready): readonly string[];
  /** The types of target that it is for; `undefined` for all. */
  fits(ready: Ready): readonly string[] | undefined;
  /**
   * For one target. It may be called twice, and for a look only. Those built in are pure and answer at once; one that has
   * to ask an addon or a repository answers later, with the same promises. A throw is a fault of the strategy, to be
   * tried again; `failed` is one of the spec, which trying again does not mend.
   */
  generate(ready: Ready, context: GenerateContext, signal: AbortSignal): Generated | Promise<Generated>;
}

/** Nothing in it holds a secret's value but the documents, where it is marked or in a Kubernetes Secret. */
export type Generated =
  | { readonly kind: 'generated'; readonly documents: readonly Document[] }
  | { readonly kind: 'failed'; readonly faults: readonly FieldFault[] };

/** Anything that a strategy can do, bound to a spec that it has read. */
export interface Manifest {
  readonly type: string;
  readonly reads: readonly string[];
  readonly fits: readonly string[] | undefined;
  generate(context: GenerateContext, signal: AbortSignal): Generated | Promise<Generated>;
}

/** By type. Addons add theirs. */
export type ManifestRegistry = ReadonlyMap<string, ManifestStrategy>;

export function manifestRegistry(strategies: readonly ManifestStrategy[]): ManifestRegistry {
  const registry = new Map(strategies.map((strategy) => [strategy.type, strategy]));
  if (registry.size !== strategies.length) throw new TypeError('two manifest strategies are of one type');
  return registry;
}

/** As it is to be kept. Of a spec without faults. */
export function hideManifest(spec: ManifestSpec, registry: ManifestRegistry): ManifestSpec {
  return registry.get(spec.type)?.hide?.(spec) ?? spec;
}

/** A type that nobody brings is a fault, and never something else. */
export function parseManifest(spec: ManifestSpec, at: string, registry: ManifestRegistry): Parsed<Manifest> {
  const strategy = registry.get(spec.type);
  if (strategy === undefined) return { kind: 'faulty', faults: [unknownType(at, registry)] };
  const parsed = strategy.parse(spec, at);
  if (parsed.kind === 'faulty') return parsed;
  return { kind: 'parsed', value: bind(strategy, parsed.value) };
}

function bind<Ready>(strategy: ManifestStrategy<ManifestSpec, Ready>, ready: Ready): Manifest {
  return {
    type: strategy.type,
    reads: strategy.reads(ready),
    fits: strategy.fits(ready),
    generate: (context, signal) => strategy.generate(ready, context, signal),
  };
}

function unknownType(at: string, registry: ManifestRegistry): FieldFault {
  const known = [...registry.keys()].sort().join(', ');
  return { path: `${at}/type`, message: `is not a manifest type that this instance knows; there are ${known}` };
}
