/**
 * The type of a setting. The same parser reads a flag, a variable and a YAML scalar, so that the rules are the same
 * everywhere.
 */
export interface Kind<T> {
  /** Placeholder for the value in help: `HOST:PORT`. */
  readonly placeholder: string;
  /** Used after "is not": `a host and a port, such as 127.0.0.1:8700`. */
  readonly expects: string;
  /** The text may hold a secret: messages and pages never repeat it. */
  readonly secret?: boolean;
  /** May stand alone as a flag: `--x` is `--x=true`, `--no-x` is `--x=false`. */
  readonly toggle?: boolean;
  /** May be given several times; the texts are then joined by commas. */
  readonly list?: boolean;
  /** Throws `BadValue`. */
  parse(text: string): T;
  /** Text that `parse` reads back as the same value, secrets aside. */
  print(value: T): string;
}

/** The message completes a sentence after the value: `is not a whole number`. */
export class BadValue extends Error {}
