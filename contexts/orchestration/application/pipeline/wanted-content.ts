import type { Document } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { deliveryHash } from '../../domain/deployment/delivery-hash.ts';
import type { Deployment, DeploymentSpec } from '../../domain/deployment/deployment.ts';
import { specReferences, unsealSpec } from '../../domain/deployment/sealed-spec.ts';
import { documentFaults } from '../../domain/manifest/document-faults.ts';
import type { GenerateTarget } from '../../domain/manifest/generate-context.ts';
import { type Manifest, type ManifestRegistry, parseManifest } from '../../domain/manifest/manifest-strategy.ts';
import { type Payload, payloadOf } from '../../domain/manifest/payload.ts';
import type { Fingerprint } from '../../domain/manifest/split-secrets.ts';
import type { UnitOfWork } from '../ports.ts';

/** The desired content of one target; `failed` if the spec cannot be rendered for it. */
export type Wanted =
  | { readonly kind: 'content'; readonly payload: Payload; readonly hash: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface WantedScene {
  readonly deployment: Pick<Deployment, 'uid' | 'name' | 'workspace'>;
  readonly revision: number;
  /** In its open form: secrets are references. */
  readonly spec: DeploymentSpec;
  readonly manifests: ManifestRegistry;
  readonly fingerprint: Fingerprint;
  /** The revision whose content is delivered again, exactly as it was. */
  readonly rollbackTo: number | undefined;
}

/** Manifest types that generate the same content for every target, without reading it. */
const UNIFORM: readonly string[] = ['inline', 'deploymentGroup'];
/** Manifest types that check their own output. */
const BUILT_IN: readonly string[] = [...UNIFORM, 'template'];

/** The content of one revision, per target. Content that is the same for several targets is generated once. */
export class WantedContent {
  readonly #scene: WantedScene;
  readonly #manifest: Manifest;
  readonly #config: DeploymentSpec['config'];
  readonly #kept: ReadonlyMap<TargetId, string>;
  readonly #payloads: ReadonlyMap<string, Payload>;
  readonly #made = new WeakMap<readonly Document[], Wanted>();
  #same: Wanted | undefined;

  private constructor(scene: WantedScene, opened: Opened) {
    this.#scene = scene;
    this.#manifest = opened.manifest;
    this.#config = opened.config;
    this.#kept = opened.kept;
    this.#payloads = opened.payloads;
  }

  /** Throws if the manifest cannot be read. */
  static async open(unit: UnitOfWork, scene: WantedScene, signal: AbortSignal): Promise<WantedContent> {
    const { deployment, spec, manifests, rollbackTo } = scene;
    const references = specReferences(spec);
    const secrets = references.length === 0 ? {} : await unit.contents.openSecrets(references, signal);
    const unsealed = references.length === 0 ? spec : unsealSpec(spec, secrets);
    const parsed = parseManifest(unsealed.manifest, '/manifest', manifests);
    if (parsed.kind === 'faulty') throw new RangeError(parsed.faults.map(faultText).join('; '));
    const at = { deployment: deployment.uid, revision: rollbackTo ?? 0 };
    const kept = rollbackTo === undefined ? new Map<TargetId, string>() : await unit.contents.at(at, signal);
    const payloads = await unit.contents.find([...new Set(kept.values())], { withSecrets: true }, signal);
    return new WantedContent(scene, { manifest: parsed.value, config: unsealed.config, kept, payloads });
  }

  get manifest(): Manifest {
    return this.#manifest;
  }

  /** Whether the content is the same for all targets. */
  get isSameForAll(): boolean {
    return UNIFORM.includes(this.#manifest.type) && this.#kept.size === 0;
  }

  /** Throws whatever the strategy throws; the caller may retry. */
  async of(target: GenerateTarget, signal: AbortSignal): Promise<Wanted> {
    const kept = this.#payloads.get(this.#kept.get(target.id) ?? '');
    if (kept !== undefined) return this.#content(kept);
    if (UNIFORM.includes(this.#manifest.type)) {
      this.#same ??= await this.#generate(target, signal);
      return this.#same;
    }
    return await this.#generate(target, signal);
  }

  async #generate(target: GenerateTarget, signal: AbortSignal): Promise<Wanted> {
    const { deployment, revision, spec } = this.#scene;
    const { uid, name, workspace } = deployment;
    const context = {
      target: plainTarget(target),
      deployment: { uid, name, workspace: workspace.name },
      revision,
      namespace: spec.namespace,
      config: this.#config,
    };
    const generated = await this.#manifest.generate(context, signal);
    if (generated.kind === 'failed') return { kind: 'failed', message: generated.faults.map(faultText).join('; ') };
    const { documents } = generated;
    const known = this.#made.get(documents);
    if (known !== undefined) return known;
    const made = this.#checked(documents);
    this.#made.set(documents, made);
    return made;
  }

  #checked(documents: readonly Document[]): Wanted {
    const faults = BUILT_IN.includes(this.#manifest.type) ? [] : documentFaults(documents, '');
    if (faults.length > 0) return { kind: 'failed', message: faults.map(faultText).join('; ') };
    return this.#content(payloadOf(documents, this.#scene.fingerprint));
  }

  #content(payload: Payload): Wanted {
    return { kind: 'content', payload, hash: deliveryHash(payload.hash, this.#scene.spec) };
  }
}

interface Opened {
  readonly manifest: Manifest;
  readonly config: DeploymentSpec['config'];
  readonly kept: ReadonlyMap<TargetId, string>;
  readonly payloads: ReadonlyMap<string, Payload>;
}

/** Only the fields of a target that a manifest may read. */
function plainTarget({ id, name, type, labels, properties, manifestTypes }: GenerateTarget): GenerateTarget {
  return { id, name, type, labels, properties, manifestTypes };
}

function faultText({ path, message }: { readonly path: string; readonly message: string }): string {
  return `${path} ${message}`.trim();
}
