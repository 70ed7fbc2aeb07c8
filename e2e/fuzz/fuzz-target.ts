/** A parser of untrusted input. */
export interface FuzzTarget {
  readonly name: string;
  /** Path fragments of the parser's own files; their coverage is reported. */
  readonly files: readonly string[];
  /** Path fragments of the libraries it uses: reaching new code there counts as well. */
  readonly libraries: readonly string[];
  /** Initial inputs, in addition to those in `corpus/`. */
  readonly seeds: readonly (string | Uint8Array)[];
  readonly words: readonly string[];
  /** Throws only on a fault: refusals in the parser's own error type are expected and swallowed here. */
  run(input: Buffer): void;
}
