/** An untagged scalar as Go's YAML reads it: YAML 1.1 without base-60 numbers. */
export type GoScalar =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string };

const NULLS = ['', '~', 'null', 'Null', 'NULL'];
const TRUES = ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'];
const FALSES = ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'];
const NOT_A_NUMBER = ['.nan', '.NaN', '.NAN'];
const INFINITY = /^([-+]?)\.(?:inf|Inf|INF)$/;
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const LARGEST = 2n ** 64n - 1n;
const SMALLEST = -(2n ** 63n);

export function goScalar(text: string): GoScalar {
  if (NULLS.includes(text)) return { kind: 'null' };
  if (TRUES.includes(text)) return { kind: 'bool', value: true };
  if (FALSES.includes(text)) return { kind: 'bool', value: false };
  return numberOf(text) ?? { kind: 'text', value: text };
}

function numberOf(text: string): GoScalar | undefined {
  if (NOT_A_NUMBER.includes(text)) return { kind: 'float', value: Number.NaN };
  const infinity = INFINITY.exec(text);
  if (infinity) return { kind: 'float', value: infinity[1] === '-' ? -Infinity : Infinity };
  if (!/^[-+.0-9]/.test(text)) return undefined;
  // Underscores are ignored anywhere in a number.
  const plain = text.replaceAll('_', '');
  return integerOf(plain) ?? floatOf(plain);
}

function integerOf(text: string): GoScalar | undefined {
  const parts = INTEGER.exec(text);
  if (!parts) return undefined;
  const [, sign, digits = ''] = parts;
  // A leading zero means octal.
  const size = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  const value = sign === '-' ? -size : size;
  // With a sign it is limited to 63 bits.
  const largest = sign === '' ? LARGEST : 2n ** 63n - 1n;
  return value > largest || value < SMALLEST ? undefined : { kind: 'int', value };
}

/** Numbers too large for a float stay strings. */
function floatOf(text: string): GoScalar | undefined {
  if (!FLOAT.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? { kind: 'float', value } : undefined;
}
