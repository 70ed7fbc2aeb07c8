import type { Colour, Paint } from './paint.ts';
import { printable } from './printable.ts';
import { renderYaml } from './yaml.ts';

export interface FieldDifference {
  readonly path: string;
  /** The path with merge keys in place of positions. */
  readonly named?: string;
  /** The inline document of a spec that the change is part of. */
  readonly document?: string;
  readonly kind: DifferenceKind;
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface DocumentDifference {
  readonly document: string;
  readonly kind: DifferenceKind;
  readonly fields: readonly FieldDifference[];
}

export type DifferenceKind = 'added' | 'removed' | 'changed';

const MARKS: Readonly<Record<DifferenceKind, { readonly mark: string; readonly colour: Colour }>> = {
  added: { mark: '+', colour: 'green' },
  removed: { mark: '-', colour: 'red' },
  changed: { mark: '~', colour: 'yellow' },
};

/** More lines than this are left out unless they are asked for: the names of the objects say enough. */
const MOST_DETAILS = 60;

/** Renders with details if there are few or the caller wants them all, otherwise the names of objects alone. */
export function withinReason(render: (isBrief: boolean) => string[], wantsDetails: boolean): string[] {
  const lines = render(false);
  if (wantsDetails || lines.length <= MOST_DETAILS) return lines;
  return [...render(true), '', `${lines.length} lines of details are left out; --details shows them`];
}

/** Renders changes field by field, as lines; in brief, only which objects they are of. Secrets are masked already. */
export function renderDiff(documents: readonly DocumentDifference[], paint: Paint, isBrief = false): string[] {
  return documents.flatMap(({ document, kind, fields }) => {
    const { mark, colour } = MARKS[kind];
    const head = paint(colour, printable(`${mark} ${document}`));
    if (isBrief)
      return [kind === 'changed' ? `${head}: ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}` : head];
    return [head, ...fields.flatMap((field) => fieldLines(field, paint)).map((line) => `  ${line}`)];
  });
}

function fieldLines(
  { path: pointer, named: path = pointer, kind, before, after }: FieldDifference,
  paint: Paint,
): string[] {
  const { mark, colour } = MARKS[kind];
  const isWhole = path === '' && kind !== 'changed';
  if (isWhole) return valueLines(kind === 'added' ? after : before).map((line) => paint(colour, `${mark} ${line}`));
  const place = printable(path === '' ? '/' : path);
  if (kind === 'changed' && isShort(before) && isShort(after)) {
    return [paint(colour, `${mark} ${place}: ${shortText(before)} -> ${shortText(after)}`)];
  }
  const lines = [
    ...(before === undefined ? [] : sideLines({ mark: '-', place, value: before }, paint)),
    ...(after === undefined ? [] : sideLines({ mark: '+', place, value: after }, paint)),
  ];
  return lines;
}

interface Side {
  readonly mark: '-' | '+';
  readonly place: string;
  readonly value: unknown;
}

function sideLines({ mark, place, value }: Side, paint: Paint): string[] {
  const colour = mark === '+' ? 'green' : 'red';
  if (isShort(value)) return [paint(colour, `${mark} ${place}: ${shortText(value)}`)];
  return [`${mark} ${place}:`, ...valueLines(value).map((line) => `${mark}   ${line}`)].map((line) =>
    paint(colour, line),
  );
}

const SHORT = 60;

function isShort(value: unknown): boolean {
  return (typeof value !== 'object' || value === null) && shortText(value).length <= SHORT;
}

function shortText(value: unknown): string {
  return printable(JSON.stringify(value) ?? '');
}

function valueLines(value: unknown): string[] {
  return renderYaml(value, { lineWidth: 0 }).trimEnd().split('\n').map(printable);
}
