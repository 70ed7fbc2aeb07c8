/** A parser that reads what anyone may send. */
export interface FuzzTarget {
  readonly name: string;
  /** Parts of the paths of its own files: their coverage is reported. */
  readonly files: readonly string[];
  /** Those of libraries that it uses: reaching more of them counts as well. */
  readonly libraries: readonly string[];
  /** Inputs to begin with, beside those of `corpus/`. */
  readonly seeds: readonly (string | Uint8Array)[];
  readonly words: readonly string[];
  /** Throws only what is wrong: refusals in the parser's own error type are expected and swallowed here. */
  run(input: Buffer): void;
}
