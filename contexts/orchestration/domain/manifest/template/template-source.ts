import type { Document } from '#protocol/delivery';
import type { Parsed } from '../parsed.ts';

/** Both count from one, as in editors. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The documents of a template file, and their positions. */
export interface TemplateText {
  readonly documents: readonly Document[];
  /** Maps a position within the text at `path` to one in the file. `path` begins with the index of the document. */
  locate(path: string, inner: Position): Position;
}

/**
 * Parses YAML, or another format of template files. Injected, because parsing YAML takes a library. Fault messages
 * contain line and column, and the path is `at`.
 */
export type ReadTemplateText = (text: string, at: string) => Parsed<TemplateText>;

/** Documents, with the JSON pointer they were found at. `locate` is set if they came from a file's text. */
export interface TemplateSource {
  readonly at: string;
  readonly documents: readonly Document[];
  readonly locate: TemplateText['locate'] | undefined;
}
