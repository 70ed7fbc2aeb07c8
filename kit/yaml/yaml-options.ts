export interface YamlLimits {
  /** Lexer tokens: about seven for a line with a key and a value. Reading takes about a microsecond for each token. */
  readonly tokens: number;
  /** Depth of nested collections. */
  readonly depth: number;
  /** Anchors and aliases in one text. */
  readonly references: number;
  /** Characters and nodes that aliases add when they are expanded. */
  readonly expansion: number;
}

export const YAML_LIMITS: YamlLimits = { tokens: 250_000, depth: 100, references: 1_000, expansion: 1_000_000 };

export interface YamlOptions {
  readonly limits?: Partial<YamlLimits>;
  /**
   * With `refuse` (default), duplicate keys and keys that are not strings are errors. With `last` both are allowed, and
   * the last duplicate wins.
   */
  readonly duplicateKeys?: 'refuse' | 'last';
  readonly schema?: 'core' | 'failsafe';
  readonly version?: '1.1' | '1.2';
}
