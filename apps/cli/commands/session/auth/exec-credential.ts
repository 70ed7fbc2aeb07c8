/** The ExecCredential that a Kubernetes client reads from its credential plugin. */
export interface ExecCredential {
  readonly apiVersion: string;
  readonly kind: 'ExecCredential';
  readonly status: { readonly token: string; readonly expirationTimestamp?: string };
}

const VERSIONS = ['v1', 'v1beta1'].map((version) => `client.authentication.k8s.io/${version}`);
const [NEWEST = ''] = VERSIONS;

/** In the requested version; the newest when no version is requested, as when a person runs the command. */
export function execVersion(info: string | undefined): string | undefined {
  if (info === undefined || info === '') return NEWEST;
  const { apiVersion } = (parsed(info) ?? {}) as { readonly apiVersion?: unknown };
  return VERSIONS.find((version) => version === apiVersion);
}

/** The expiry that the token itself contains. */
export function expiryOf(token: string): string | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  const claims = parsed(Buffer.from(payload, 'base64url').toString('utf8')) as { readonly exp?: unknown } | undefined;
  const seconds = claims?.exp;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return undefined;
  const at = new Date(seconds * 1000);
  return Number.isNaN(at.getTime()) ? undefined : inSeconds(at);
}

export function execCredential(apiVersion: string, token: string, expirationTimestamp?: string): ExecCredential {
  const expiry = expirationTimestamp === undefined ? {} : { expirationTimestamp };
  return { apiVersion, kind: 'ExecCredential', status: { token, ...expiry } };
}

/** In the format of Kubernetes. */
export function inSeconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
