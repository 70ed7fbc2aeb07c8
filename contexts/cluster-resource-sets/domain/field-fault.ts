/** A wrong value of a field, in the words of Kubernetes' own validation. */
export interface InvalidField {
  /** `spec.clusterSelector` */
  readonly field: string;
  readonly value: unknown;
  readonly detail: string;
}

/** `Invalid value: "x": field is immutable`, which is what the API server calls a cause. */
export function faultBody({ value, detail }: InvalidField): string {
  return `Invalid value: ${shown(value)}: ${detail}`;
}

/** As clients show several: each once, in brackets when there are more than one. */
export function faultText(faults: readonly InvalidField[]): string {
  const lines = [...new Set(faults.map((fault) => `${fault.field}: ${faultBody(fault)}`))];
  return lines.length === 1 ? (lines[0] ?? '') : `[${lines.join(', ')}]`;
}

const ESCAPED = /[<>&\u2028\u2029]/g;

/** A text in quotes; of anything else the JSON that Go writes, with what HTML cares about escaped. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return (JSON.stringify(value) ?? 'null').replaceAll(
    ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
