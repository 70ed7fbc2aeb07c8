import { contentHash, type JsonObject } from '#kit/std';
import type { Document } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { deliveryHash } from '../../../domain/deployment/delivery-hash.ts';
import type { Deployment, DeploymentSpec } from '../../../domain/deployment/deployment.ts';
import { specReferences, unsealSpec } from '../../../domain/deployment/sealed-spec.ts';
import { documentFaults } from '../../../domain/manifest/document-faults.ts';
import { fieldsAt } from '../../../domain/manifest/fields-at.ts';
import type { GenerateContext, GenerateTarget } from '../../../domain/manifest/generate-context.ts';
import { type Manifest, type ManifestRegistry, parseManifest } from '../../../domain/manifest/manifest-strategy.ts';
import { type Payload, payloadOf } from '../../../domain/manifest/payload.ts';
import type { Fingerprint } from '../../../domain/manifest/split-secrets.ts';
import { FOR_ALL, type GeneratedContent, type GeneratedFor, type UnitOfWork } from '../../ports.ts';
import type { GenerationSlots } from './generation-slots.ts';

/** The desired content of one target; `failed` if the spec cannot be rendered for it. */
export type DesiredContent =
  | { readonly kind: 'content'; readonly payload: Payload; readonly hash: string }
  | { readonly kind: 'failed'; readonly message: string };

type Content = Extract<DesiredContent, { kind: 'content' }>;

export interface DesiredScene {
  readonly deployment: Pick<Deployment, 'uid' | 'name' | 'workspace'>;
  readonly revision: number;
  /** In its open form: secrets are references. */
  readonly spec: DeploymentSpec;
  /** The revision whose content is delivered again, exactly as it was. */
  readonly rollbackTo: number | undefined;
  /** The content is only shown, and never delivered. */
  readonly speculative: boolean;
  /** The pending announcement that the output for the target would differ; none by default. */
  readonly invalidationOf?: ((target: GeneratedFor) => string) | undefined;
}

export interface GenerationDeps {
  readonly manifests: ManifestRegistry;
  readonly fingerprint: Fingerprint;
  readonly slots: GenerationSlots;
}

/** A newly generated content, and the record under which it is stored: the target, or `FOR_ALL`. */
export interface Made {
  readonly desired: DesiredContent;
  readonly record: readonly [GeneratedFor, GeneratedContent] | undefined;
}

/**
 * The content of one revision, per target. Content is generated once for the same inputs: what was generated for the plan
 * is delivered, and what was stored before a crash is used after it.
 */
export class DesiredContents {
  readonly manifest: Manifest;
  /** The content for all targets, if the manifest spells it out and no target gets an older one. */
  readonly literal: Content | undefined;
  readonly #scene: DesiredScene;
  readonly #deps: GenerationDeps;
  readonly #config: DeploymentSpec['config'];
  readonly #kept: ReadonlyMap<TargetId, string>;
  /** Hash of the inputs that are the same for all targets. */
  readonly #base: string;
  readonly #records = new Map<GeneratedFor, GeneratedContent>();
  #forAll: Promise<Made> | undefined;
  readonly #made = new WeakMap<readonly Document[], DesiredContent>();

  private constructor(scene: DesiredScene, deps: GenerationDeps, opened: Opened) {
    this.#scene = scene;
    this.#deps = deps;
    this.manifest = opened.manifest;
    this.#config = opened.config;
    this.#kept = opened.kept;
    const { deployment, revision, spec } = scene;
    const { name, workspace } = deployment;
    const { manifest, config, namespace = null } = spec;
    this.#base = contentHash({ name, workspace: workspace.name, revision, manifest, config, namespace });
    this.literal = opened.manifest.isLiteral && opened.kept.size === 0 ? this.#literal() : undefined;
  }

  /** Throws if the manifest cannot be read. */
  static async open(
    unit: UnitOfWork,
    scene: DesiredScene,
    deps: GenerationDeps,
    signal: AbortSignal,
  ): Promise<DesiredContents> {
    const { deployment, spec, rollbackTo } = scene;
    const references = specReferences(spec);
    const secrets = references.length === 0 ? {} : await unit.contents.openSecrets(references, signal);
    const unsealed = references.length === 0 ? spec : unsealSpec(spec, secrets);
    const parsed = parseManifest(unsealed.manifest, '/manifest', deps.manifests);
    if (parsed.kind === 'faulty') throw new RangeError(parsed.faults.map(faultText).join('; '));
    const at = { deployment: deployment.uid, revision: rollbackTo ?? 0 };
    const kept = rollbackTo === undefined ? new Map<TargetId, string>() : await unit.contents.at(at, signal);
    return new DesiredContents(scene, deps, { manifest: parsed.value, config: unsealed.config, kept });
  }

  /** Whether the content is the same for all targets. */
  get isSameForAll(): boolean {
    return this.manifest.isUniform && this.#kept.size === 0;
  }

  /** Reads what was generated for these targets before. */
  async recall(unit: UnitOfWork, targets: readonly TargetId[], signal: AbortSignal): Promise<void> {
    if (this.literal !== undefined) return;
    const wanted: readonly GeneratedFor[] = this.manifest.isUniform ? [FOR_ALL] : targets;
    const found = await unit.generated.of(this.#scene.deployment.uid, wanted, signal);
    for (const [target, record] of found) this.#records.set(target, record);
  }

  /** The hash of the content that is stored for the target as it is now, if there is one. */
  storedFor(target: GenerateTarget): string | undefined {
    const kept = this.#kept.get(target.id);
    if (kept !== undefined) return kept;
    const key = this.#keyOf(target);
    const record = this.#records.get(key);
    if (record?.inputs !== this.#inputsOf(target)) return undefined;
    const pending = this.#pending(key);
    return pending === '' || pending === record.invalidation ? record.hash : undefined;
  }

  /** A stored content as this revision delivers it. */
  contentOf(payload: Payload): Content {
    return { kind: 'content', payload, hash: this.deliveryHashOf(payload.hash) };
  }

  deliveryHashOf(hash: string): string {
    return deliveryHash(hash, this.#scene.spec);
  }

  /** Throws whatever the strategy throws; the caller may retry. */
  async generate(target: GenerateTarget, signal: AbortSignal): Promise<Made> {
    if (this.literal !== undefined) return { desired: this.literal, record: undefined };
    if (!this.manifest.isUniform) return await this.#generate(target, signal);
    this.#forAll ??= this.#generate(target, signal);
    try {
      return await this.#forAll;
    } catch (error) {
      this.#forAll = undefined;
      throw error;
    }
  }

  async #generate(target: GenerateTarget, signal: AbortSignal): Promise<Made> {
    const { deployment, speculative } = this.#scene;
    const key = this.#keyOf(target);
    const inputs = this.#inputsOf(target);
    const pending = this.#pending(key);
    const invalidation = pending === '' ? (this.#records.get(key)?.invalidation ?? '') : pending;
    const context = this.#contextOf(target, contentHash([deployment.uid, key, inputs, invalidation, speculative]));
    const generated = await this.#deps.slots.run(
      this.manifest,
      (bounded) => this.manifest.generate(context, bounded),
      signal,
    );
    if (generated.kind === 'failed') {
      return { desired: { kind: 'failed', message: generated.faults.map(faultText).join('; ') }, record: undefined };
    }
    const desired = this.#checked(generated.documents);
    if (desired.kind === 'failed') return { desired, record: undefined };
    return { desired, record: [key, { inputs, invalidation, hash: desired.payload.hash }] };
  }

  #literal(): Content | undefined {
    const generated = this.manifest.generate(this.#contextOf(ANY_TARGET, this.#base), NEVER);
    const documents = 'documents' in generated ? generated.documents : undefined;
    return documents && this.contentOf(payloadOf(documents, this.#deps.fingerprint));
  }

  #contextOf(target: GenerateTarget, idempotencyKey: string): GenerateContext {
    const { deployment, revision, spec, speculative } = this.#scene;
    const { uid, name, workspace } = deployment;
    return {
      target: plainTarget(target),
      deployment: { uid, name, workspace: workspace.name },
      revision,
      namespace: spec.namespace,
      config: this.#config,
      speculative,
      idempotencyKey,
    };
  }

  #keyOf({ id }: GenerateTarget): GeneratedFor {
    return this.manifest.isUniform ? FOR_ALL : id;
  }

  #pending(key: GeneratedFor): string {
    return this.#scene.invalidationOf?.(key) ?? '';
  }

  #inputsOf(target: GenerateTarget): string {
    if (this.manifest.isUniform || this.manifest.reads.length === 0) return this.#base;
    return contentHash([this.#base, fieldsAt(plainTarget(target) as unknown as JsonObject, this.manifest.reads)]);
  }

  /** Many targets may get the same documents: they are checked and hashed once. */
  #checked(documents: readonly Document[]): DesiredContent {
    const known = this.#made.get(documents);
    if (known !== undefined) return known;
    const faults = this.manifest.checksDocuments ? [] : documentFaults(documents, '');
    const made: DesiredContent =
      faults.length > 0
        ? { kind: 'failed', message: faults.map(faultText).join('; ') }
        : this.contentOf(payloadOf(documents, this.#deps.fingerprint));
    this.#made.set(documents, made);
    return made;
  }
}

interface Opened {
  readonly manifest: Manifest;
  readonly config: DeploymentSpec['config'];
  readonly kept: ReadonlyMap<TargetId, string>;
}

/** A call that answers at once has nothing to abort. */
const NEVER = new AbortController().signal;

/** Placeholder for manifests that are the same for all targets and read none of their fields. */
export const ANY_TARGET: GenerateTarget = {
  id: FOR_ALL as TargetId,
  name: '',
  type: '',
  labels: {},
  properties: {},
  manifestTypes: [],
};

/** Only the fields of a target that a manifest may read. */
function plainTarget({ id, name, type, labels, properties, manifestTypes }: GenerateTarget): GenerateTarget {
  return { id, name, type, labels, properties, manifestTypes };
}

function faultText({ path, message }: { readonly path: string; readonly message: string }): string {
  return `${path} ${message}`.trim();
}
