import { readFile } from 'node:fs/promises';
import type { Clock } from '#kit/std';
import { KubeError } from '../kube-error.ts';
import type { Material } from './kube-config.ts';

const MAX_AGE_MS = 10_000;

/**
 * The current text of a material. Token and certificate files are replaced while the process runs: after ten seconds a
 * file is read again, and `forget` makes the next call read it at once.
 */
export class MaterialReader {
  readonly #material: Material;
  readonly #clock: Clock;
  #read: { readonly text: string; readonly at: number } | undefined;

  constructor(material: Material, clock: Clock) {
    this.#material = material;
    this.#clock = clock;
  }

  async text(signal: AbortSignal): Promise<string> {
    if (this.#material.kind === 'text') return this.#material.text.reveal();
    const age = this.#clock.now() - (this.#read?.at ?? Number.NEGATIVE_INFINITY);
    // If the clock was set back, the last read seems to be in the future.
    if (this.#read && age >= 0 && age < MAX_AGE_MS) return this.#read.text;
    const text = await readWhole(this.#material.path, signal);
    this.#read = { text, at: this.#clock.now() };
    return text;
  }

  forget(): void {
    this.#read = undefined;
  }
}

async function readWhole(path: string, signal: AbortSignal): Promise<string> {
  try {
    const text = await readFile(path, { encoding: 'utf8', signal });
    if (text.trim() !== '') return text;
  } catch (error) {
    signal.throwIfAborted();
    throw new KubeError('CREDENTIALS_UNAVAILABLE', `read ${path}`, { cause: error });
  }
  throw new KubeError('CREDENTIALS_UNAVAILABLE', `read ${path}: it is empty`);
}
