import type { TargetId } from '#protocol/targets';
import type { GenerateTarget } from '../../../domain/manifest/generate-context.ts';
import type { Payload } from '../../../domain/manifest/payload.ts';
import type { Units } from '../../ports.ts';
import type { DesiredContent, DesiredContents } from './desired-contents.ts';

/** Reads stored contents for one piece of a batch at a time: those of a whole fleet would not fit into memory. */
export class StoredPayloads {
  readonly #units: Pick<Units, 'read'>;
  readonly #desired: DesiredContents | undefined;
  /** Those of the last piece: neighbours often have the same. */
  #last: ReadonlyMap<string, Payload> = new Map();

  constructor(units: Pick<Units, 'read'>, desired: DesiredContents | undefined) {
    this.#units = units;
    this.#desired = desired;
  }

  /** Targets without a stored content are absent. */
  async of(
    targets: readonly GenerateTarget[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<TargetId, Extract<DesiredContent, { kind: 'content' }>>> {
    const desired = this.#desired;
    if (desired === undefined) return new Map();
    const hashes = new Map(
      targets.flatMap((target) => {
        const hash = desired.storedFor(target);
        return hash === undefined ? [] : [[target.id, hash] as const];
      }),
    );
    const payloads = await this.#read([...new Set(hashes.values())], signal);
    const contents = new Map([...payloads].map(([hash, payload]) => [hash, desired.contentOf(payload)]));
    return new Map(
      [...hashes].flatMap(([target, hash]) => {
        const content = contents.get(hash);
        return content === undefined ? [] : [[target, content] as const];
      }),
    );
  }

  async #read(hashes: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Payload>> {
    const unread = hashes.filter((hash) => !this.#last.has(hash));
    if (hashes.length === 0) return new Map();
    const read =
      unread.length === 0
        ? new Map<string, Payload>()
        : await this.#units.read(({ contents }) => contents.find(unread, { withSecrets: true }, signal), signal);
    const found = hashes.flatMap((hash) => {
      const payload = this.#last.get(hash) ?? read.get(hash);
      return payload === undefined ? [] : [[hash, payload] as const];
    });
    this.#last = new Map(found);
    return this.#last;
  }
}
