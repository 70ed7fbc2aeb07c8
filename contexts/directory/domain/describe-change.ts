const MAX_LINES = 20;
const HIDDEN = '(hidden)';
const MAX_BYTES = 256 * 1024;

export interface FileChange {
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
  /** Whether its content may be shown. */
  readonly isShown: boolean;
}

/** One line for the file, and some for its content: as much as a user wants to read. */
export function describeChange(path: string, { before, after, isShown }: FileChange): string[] {
  const head = `${before === undefined ? 'create' : after === undefined ? 'remove' : 'change'} ${path}`;
  if (before === undefined || after === undefined) return [head];
  if (!isShown) return [`${head} ${HIDDEN}`];
  const [old, next] = [textOf(before), textOf(after)];
  if (old === undefined || next === undefined) return [`${head} (${before.length} bytes, then ${after.length})`];
  const lines = differing(old.split('\n'), next.split('\n'));
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${line}`);
  return [head, ...shown, ...(lines.length > MAX_LINES ? [`  and ${lines.length - MAX_LINES} more lines`] : [])];
}

/** Strips the common lines at the beginning and end. */
function differing(old: readonly string[], next: readonly string[]): string[] {
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < next.length - start &&
    old[old.length - 1 - end] === next[next.length - 1 - end]
  ) {
    end += 1;
  }
  return [
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...next.slice(start, next.length - end).map((line) => `+ ${line}`),
  ];
}

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_BYTES) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
