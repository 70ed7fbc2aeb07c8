import { coreKinds } from '../../domain/core-kinds.ts';
import { type EffectiveSchema, effectiveSchema } from '../../domain/index-schema.ts';
import { holdingFor, type IndexSchema } from '../../domain/index-schema-resource.ts';
import { mergeKinds } from '../../domain/merge-schemas.ts';

/** The properties of a target that matter here. */
export interface IndexedTarget {
  readonly uid: string;
  readonly type: string;
  /** The path of its workspace. */
  readonly path: string;
}

export interface SchemaDirectoryDeps {
  readonly schemas: (signal: AbortSignal) => Promise<readonly IndexSchema[]>;
  /** Omits targets that do not exist. */
  readonly targets: (uids: readonly string[], signal: AbortSignal) => Promise<readonly IndexedTarget[]>;
}

/** Computes the effective schemas of targets. */
export class SchemaDirectory {
  readonly #deps: SchemaDirectoryDeps;

  constructor(deps: SchemaDirectoryDeps) {
    this.#deps = deps;
  }

  /** By uid; targets that do not exist are left out. */
  async effective(uids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, EffectiveSchema>> {
    const targets = await this.#deps.targets(uids, signal);
    if (targets.length === 0) return new Map();
    const schemas = await this.#deps.schemas(signal);
    // Cached by type and workspace, because many targets share a workspace.
    const made = new Map<string, EffectiveSchema>();
    return new Map(
      targets.map(({ uid, type, path }) => {
        const place = `${type} ${path}`;
        const schema = made.get(place) ?? schemaFor(schemas, type, path);
        made.set(place, schema);
        return [uid, schema];
      }),
    );
  }
}

function schemaFor(schemas: readonly IndexSchema[], targetType: string, path: string): EffectiveSchema {
  const holding = holdingFor(schemas, { targetType, path }).map(({ name, kinds }) => ({ of: name, kinds }));
  return effectiveSchema(mergeKinds([{ of: 'core', kinds: coreKinds(targetType) }, ...holding]));
}
