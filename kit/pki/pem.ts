export type PemLabel = 'CERTIFICATE' | 'CERTIFICATE REQUEST';

export function pemOf(label: PemLabel, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

/** The first block with that label; `undefined` when there is none. */
export function derOf(label: PemLabel, pem: string): Buffer | undefined {
  const begin = `-----BEGIN ${label}-----`;
  const start = pem.indexOf(begin);
  const end = pem.indexOf(`-----END ${label}-----`, start);
  if (start === -1 || end === -1) return undefined;
  const text = pem.slice(start + begin.length, end).replaceAll(/\s/g, '');
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
