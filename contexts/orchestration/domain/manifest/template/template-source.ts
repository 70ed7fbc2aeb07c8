import type { Document } from '#protocol/delivery';
import type { Parsed } from '../parsed.ts';

/** Both count from one, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** What a file's text holds, and where. */
export interface TemplateText {
  readonly documents: readonly Document[];
  /** The place in the file of a place in the text at `path`, which begins with the document's number. */
  locate(path: string, inner: Position): Position;
}

/**
 * Reads YAML, or whatever a template's file is written in. Handed in, since reading YAML takes a library. Faults say line
 * and column in their messages, and have the path `at`.
 */
export type ReadTemplateText = (text: string, at: string) => Parsed<TemplateText>;

/** Documents with the JSON pointer that they were found at. `locate` is there for those that came from a file's text. */
export interface TemplateSource {
  readonly at: string;
  readonly documents: readonly Document[];
  readonly locate: TemplateText['locate'] | undefined;
}
