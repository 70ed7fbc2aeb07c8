import { type Profiler, Session } from 'node:inspector';

interface Script {
  /** For each character, whether it ever ran. Grows, as functions become known once they are compiled. */
  ran: Uint8Array;
  /** Offsets where blocks begin: a branch, a loop body, a function. */
  readonly blocks: Set<number>;
}

/**
 * Tracks which code of this process ran, by V8's precise block coverage. Only code loaded after the start is covered:
 * code compiled before has no counters.
 */
export class CoveredCode {
  readonly #session = new Session();
  readonly #scripts = new Map<string, Script>();

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /**
   * Whether any code ran since the last call that had never run before, in files whose path contains one of these parts.
   * Marks that code as run, except with `peek`.
   */
  take(parts: readonly string[], mode: 'keep' | 'peek' = 'keep'): boolean {
    let isNew = false;
    // The callback runs before `post` returns: the session belongs to this thread.
    this.#session.post('Profiler.takePreciseCoverage', (error, coverage) => {
      if (error) throw error;
      for (const { url, functions } of coverage.result) {
        if (parts.some((part) => url.includes(part))) isNew = this.#merge(url, functions, mode) || isNew;
      }
    });
    return isNew;
  }

  /** Counts the blocks, and those that ran, in files whose path contains one of these parts. */
  blocks(parts: readonly string[]): { readonly all: number; readonly ran: number } {
    let [all, ran] = [0, 0];
    for (const [url, { ran: marks, blocks }] of this.#scripts) {
      if (!parts.some((part) => url.includes(part))) continue;
      all += blocks.size;
      for (const at of blocks) ran += marks[at] ?? 0;
    }
    return { all, ran };
  }

  end(): void {
    this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }

  #merge(url: string, functions: readonly Profiler.FunctionCoverage[], mode: 'keep' | 'peek'): boolean {
    const length = Math.max(...functions.flatMap(({ ranges }) => ranges.map(({ endOffset }) => endOffset)));
    const { ran, blocks } = this.#script(url, length);
    const now = new Uint8Array(length);
    // Inner ranges follow the outer ones that they correct.
    for (const { ranges } of functions) {
      for (const { startOffset, endOffset, count } of ranges) {
        blocks.add(startOffset);
        now.fill(count > 0 ? 1 : 0, startOffset, endOffset);
      }
    }
    let isNew = false;
    for (let at = 0; at < length; at += 1) {
      if (now[at] !== 1 || ran[at] === 1) continue;
      if (mode === 'peek') return true;
      ran[at] = 1;
      isNew = true;
    }
    return isNew;
  }

  #script(url: string, length: number): Script {
    const known = this.#scripts.get(url);
    if (known !== undefined) {
      if (known.ran.length < length) {
        const grown = new Uint8Array(length);
        grown.set(known.ran);
        known.ran = grown;
      }
      return known;
    }
    const made = { ran: new Uint8Array(length), blocks: new Set<number>() };
    this.#scripts.set(url, made);
    return made;
  }
}
