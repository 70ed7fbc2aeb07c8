import type { FieldFault } from '#kit/std';
import type { Document } from '#protocol/delivery';
import type { GenerateContext, RemovedContext } from './generate-context.ts';
import type { Parsed } from './parsed.ts';

/** A deployment's manifest, as the API takes it. The fields depend on the type, and have passed its schema. */
export type ManifestSpec = { readonly type: string; readonly [field: string]: unknown };

/** Generates what to deploy. `Ready` is the parsed spec, prepared once for all targets. */
export interface ManifestStrategy<Spec extends ManifestSpec = ManifestSpec, Ready = unknown> {
  readonly type: Spec['type'];
  /**
   * The documents are those of the spec: the same for every target, known at once, and checked with the spec. They are
   * not stored as generated, since generating them again costs nothing and never differs.
   */
  readonly isLiteral?: boolean;
  /** The documents are the same for every target, and are generated once for all of them. */
  readonly isUniform?: boolean;
  /** The strategy checks its documents itself. Those of other strategies are checked by the caller. */
  readonly checksDocuments?: boolean;
  /** How many targets to generate for at once, if fewer than the platform allows. */
  readonly width?: number;
  /** All faults that a schema cannot detect. `at` is the JSON pointer to the spec. */
  parse(spec: Spec, at: string): Parsed<Ready>;
  /** Marks additional parts of the spec that are secret. Absent if the strategy needs no such marks. */
  hide?(spec: Spec): Spec;
  /**
   * The fields of a target that affect the output, as JSON pointers into it. Changes of other fields regenerate nothing.
   */
  reads(ready: Ready): readonly string[];
  /** The target types it is for; `undefined` for all. */
  fits(ready: Ready): readonly string[] | undefined;
  /**
   * Generates the documents for one target. The result is stored and delivered from there; it may be called twice for the
   * same, after a crash or a timeout, and for previews. Built-in strategies are pure
   * and answer at once; a strategy that has to ask an addon or a repository answers with a promise, under the same
   * contract. An exception is a fault of the strategy, and is retried; `failed` is a fault of the spec, which a retry
   * does not fix.
   */
  generate(ready: Ready, context: GenerateContext, signal: AbortSignal): Generated | Promise<Generated>;
  /**
   * Cleans up what the strategy keeps about a target, once the deployment is off it. It is owed: recorded in the
   * transaction that notes the removal, and called until it resolves, also by another process and after a restart. Calls
   * for one removal have one idempotency key, by which the strategy gives them one effect. It is not called for a target
   * that has the deployment again by then. A deployment that is being deleted stays until no call is owed, or it is
   * abandoned. Absent if the strategy keeps nothing.
   */
  onRemoved?(context: RemovedContext, signal: AbortSignal): Promise<void>;
}

/** Secret values occur only in the documents, marked or in a Kubernetes Secret. */
export type Generated =
  | { readonly kind: 'generated'; readonly documents: readonly Document[] }
  | { readonly kind: 'failed'; readonly faults: readonly FieldFault[] };

/** A strategy bound to a parsed spec. */
export interface Manifest {
  readonly type: string;
  readonly reads: readonly string[];
  readonly fits: readonly string[] | undefined;
  readonly isLiteral: boolean;
  readonly isUniform: boolean;
  readonly checksDocuments: boolean;
  readonly width: number;
  generate(context: GenerateContext, signal: AbortSignal): Generated | Promise<Generated>;
}

/** By type. */
export type ManifestRegistry = ReadonlyMap<string, ManifestStrategy>;

export function manifestRegistry(strategies: readonly ManifestStrategy[]): ManifestRegistry {
  const registry = new Map(strategies.map((strategy) => [strategy.type, strategy]));
  if (registry.size !== strategies.length) throw new TypeError('two manifest strategies are of one type');
  return registry;
}

/** The spec as it is stored. It must have no faults. */
export function hideManifest(spec: ManifestSpec, registry: ManifestRegistry): ManifestSpec {
  return registry.get(spec.type)?.hide?.(spec) ?? spec;
}

/** An unknown type is a fault; there is no fallback. */
export function parseManifest(spec: ManifestSpec, at: string, registry: ManifestRegistry): Parsed<Manifest> {
  const strategy = registry.get(spec.type);
  if (strategy === undefined) return { kind: 'faulty', faults: [unknownType(at, registry)] };
  const parsed = strategy.parse(spec, at);
  if (parsed.kind === 'faulty') return parsed;
  return { kind: 'parsed', value: bind(strategy, parsed.value) };
}

function bind<Ready>(strategy: ManifestStrategy<ManifestSpec, Ready>, ready: Ready): Manifest {
  const { isLiteral = false } = strategy;
  return {
    type: strategy.type,
    reads: strategy.reads(ready),
    fits: strategy.fits(ready),
    isLiteral,
    isUniform: strategy.isUniform ?? isLiteral,
    checksDocuments: strategy.checksDocuments ?? isLiteral,
    width: strategy.width ?? Number.POSITIVE_INFINITY,
    generate: (context, signal) => strategy.generate(ready, context, signal),
  };
}

function unknownType(at: string, registry: ManifestRegistry): FieldFault {
  const known = [...registry.keys()].sort().join(', ');
  return { path: `${at}/type`, message: `is not a manifest type of this instance; must be one of ${known}` };
}
