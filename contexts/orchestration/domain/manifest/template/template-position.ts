import type { FieldFault } from '#kit/std';
import type { TemplateProblem } from './compile-template.ts';
import type { Position, TemplateSource } from './template-source.ts';

/** A fault with its position: in the template's file, or in the text at `path`. */
export interface TemplateFault extends FieldFault, Position {}

export function templateFault({ place, message }: TemplateProblem, { at, locate }: TemplateSource): TemplateFault {
  const inner = positionIn(place.source, place.offset);
  const { line, column } = locate?.(place.path, inner) ?? inner;
  const path = locate === undefined ? `${at}${place.path}` : at;
  return { path, message: `line ${line}, column ${column}: ${message}`, line, column };
}

function positionIn(source: string, offset: number): Position {
  const before = source.slice(0, offset);
  const start = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line += 1;
  return { line, column: Array.from(before.slice(start)).length + 1 };
}
