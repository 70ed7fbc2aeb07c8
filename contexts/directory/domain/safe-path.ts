/** The agent's own state, inside every folder that it serves. */
export const STATE_FOLDER = '.fleetshift';

const MAX_PATH = 1_024;
const MAX_SEGMENT = 200;
/** Names that some file systems treat as devices, whatever their extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

export type CheckedPath =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'fault'; readonly message: string };

/**
 * A path below the folder, with `/` between its parts, that means the same on every file system. A path that could lead out of
 * the folder, or to another file than it names, is a fault.
 */
export function checkPath(raw: string): CheckedPath {
  const fault = faultOf(raw);
  return fault === undefined
    ? { kind: 'path', path: raw }
    : { kind: 'fault', message: `the path ${show(raw)} ${fault}` };
}

function faultOf(raw: string): string | undefined {
  if (raw === '') return 'is empty';
  if (raw.length > MAX_PATH) return `is longer than ${MAX_PATH} characters`;
  if (raw.startsWith('/')) return 'is absolute; make it relative to the folder, without a leading slash';
  if (raw.includes('\\')) return 'has a backslash; use / between its parts';
  if (/\p{Cc}/u.test(raw)) return 'has a control character';
  if (raw !== raw.normalize('NFC')) return 'is not in Unicode normal form C: another path would look the same';
  for (const segment of raw.split('/')) {
    const wrong = segmentFault(segment);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function segmentFault(segment: string): string | undefined {
  if (segment === '') return 'has an empty part';
  if (segment === '.' || segment === '..') return `has the part ${segment}`;
  if (segment.length > MAX_SEGMENT) return `has a part of more than ${MAX_SEGMENT} characters`;
  if (segment.endsWith('.') || segment.endsWith(' ')) return 'has a part that ends with a dot or a space';
  if (segment.includes(':')) return 'has a colon';
  if (DEVICE.test(segment)) return `has the part ${segment}, which names a device on some systems`;
  if (folded(segment).startsWith(STATE_FOLDER)) return `begins with ${STATE_FOLDER}, which is reserved for the agent`;
  return undefined;
}

/** Equal for paths that a case-insensitive file system treats as the same. */
export function folded(path: string): string {
  return path.normalize('NFKC').toLowerCase().normalize('NFKC');
}

function show(raw: string): string {
  return JSON.stringify(raw.length > 100 ? `${raw.slice(0, 100)}...` : raw);
}
