import { printable } from './printable.ts';
import { renderTimeFrom } from './render-time.ts';
import { renderYaml } from './yaml.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Renders every field under a readable label: simple values on the same line, others below. Nothing is left out. */
export function renderFacts(resource: Readonly<Record<string, unknown>>, now: number): string {
  const rows = Object.entries(resource).map(([field, value]) => ({ label: `${labelOf(field)}:`, value }));
  const width = Math.max(...rows.map(({ label }) => label.length)) + 2;
  return rows.map(({ label, value }) => `${label.padEnd(width)}${renderValue(value, width, now)}\n`).join('');
}

/** `displayName` becomes `Display Name`. */
function labelOf(field: string): string {
  const words = field.replace(/([a-z0-9])([A-Z])/g, '$1 $2');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function renderValue(value: unknown, indent: number, now: number): string {
  if (typeof value === 'string') return TIME.test(value) ? renderTimeFrom(value, now) : printable(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Object.keys(value).length === 0) return 'none';
  const lines = renderYaml(value, { lineWidth: 0 }).trimEnd().split('\n').map(printable);
  return lines.join(`\n${' '.repeat(indent)}`);
}
