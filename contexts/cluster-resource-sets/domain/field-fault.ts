/** An invalid field value, in the wording of Kubernetes validation. */
export interface InvalidField {
  /** `spec.clusterSelector` */
  readonly field: string;
  readonly value: unknown;
  readonly detail: string;
}

/** `Invalid value: "x": field is immutable`, which the API server calls a cause. */
export function faultBody({ value, detail }: InvalidField): string {
  return `Invalid value: ${shown(value)}: ${detail}`;
}

/** In the format of Kubernetes clients: each once, in brackets if there are several. */
export function faultText(faults: readonly InvalidField[]): string {
  const lines = [...new Set(faults.map((fault) => `${fault.field}: ${faultBody(fault)}`))];
  return lines.length === 1 ? (lines[0] ?? '') : `[${lines.join(', ')}]`;
}

const ESCAPED = /[<>&\u2028\u2029]/g;

/** Strings in quotes. Other values as JSON in Go's format, which escapes characters that are special in HTML. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return (JSON.stringify(value) ?? 'null').replaceAll(
    ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
