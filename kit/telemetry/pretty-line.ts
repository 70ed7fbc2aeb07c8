/** Formats one line of JSON for a terminal: time, level, message, fields, and stacks on lines of their own. */
export function prettyLine(json: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const clock = String(time).slice(11, 23);
  const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${plain(value)}`);
  return `${clock} ${String(level).toUpperCase().padEnd(5)} ${String(msg)}${rest.join('')}${errorLines(err)}\n`;
}

function plain(value: unknown): string {
  return typeof value === 'string' && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
}

/** The stacks of the error and of its causes. */
function errorLines(err: unknown, label = ''): string {
  if (err === undefined) return '';
  if (!isRecord(err)) return `\n  ${label}${plain(err)}`;
  const code = typeof err['code'] === 'string' ? `[${err['code']}] ` : '';
  const text = typeof err['stack'] === 'string' ? err['stack'] : plain(err);
  return `\n  ${label}${code}${text.replaceAll('\n', '\n  ')}${errorLines(err['cause'], 'caused by: ')}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
