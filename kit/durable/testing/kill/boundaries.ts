import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Death } from './executor-protocol.ts';

/** The points between two steps of the executor at which it may be killed. */
export class Boundaries {
  readonly #death: Death;
  readonly #file: string;
  readonly #past: ReadonlySet<string>;
  /** Done, but possibly not written yet. */
  #done = new Set<string>();
  #writes = 0;
  #skipped = 0;

  constructor(folder: string, death: Death) {
    this.#death = death;
    this.#file = join(folder, 'deaths');
    this.#past = new Set(existsSync(this.#file) ? readFileSync(this.#file, 'utf8').split('\n') : []);
  }

  begins(step: string): void {
    this.#pass(`begins ${step}`);
  }

  ends(step: string): void {
    this.#pass(`ends ${step}`);
    this.#done.add(step);
  }

  /** Wraps every write that makes progress durable. */
  async write<T>(body: () => Promise<T>): Promise<T> {
    const done = this.#done;
    this.#done = new Set();
    this.#writes += 1;
    const last = this.#death.at === 'write' && this.#writes === this.#death.count ? this.#death : undefined;
    if (last?.after === false) die();
    const result = await body();
    if (last?.after === true) die();
    for (const step of done) this.#pass(`has written ${step}`);
    return result;
  }

  #pass(boundary: string): void {
    if (this.#death.at !== 'boundary' || this.#past.has(boundary)) return;
    if (this.#skipped++ < this.#death.skip) return;
    appendFileSync(this.#file, `${boundary}\n`);
    die();
  }
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
