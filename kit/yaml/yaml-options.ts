export interface YamlLimits {
  /** Of the lexer: about seven for a line with a key and a value. Reading takes about a microsecond for each. */
  readonly tokens: number;
  /** Of collections inside each other. */
  readonly depth: number;
  /** Anchors and aliases of one text. */
  readonly references: number;
  /** Characters and nodes that aliases add when each is replaced by what it stands for. */
  readonly expansion: number;
}

export const YAML_LIMITS: YamlLimits = { tokens: 250_000, depth: 100, references: 1_000, expansion: 1_000_000 };

export interface YamlOptions {
  readonly limits?: Partial<YamlLimits>;
  /** `refuse` by default: a key that is there twice, or is no text, is an error. With `last` neither is. */
  readonly duplicateKeys?: 'refuse' | 'last';
  readonly schema?: 'core' | 'failsafe';
  readonly version?: '1.1' | '1.2';
}
