/** The number comes first, and the rest depends on it. At least 4 bytes. */
export function payloadOf(uid: number, size: number): Uint8Array {
  const payload = new Uint8Array(size).map((_, at) => (uid * 31 + at) % 251);
  new DataView(payload.buffer).setUint32(0, uid);
  return payload;
}

export function uidOf(payload: Uint8Array): number {
  return new DataView(payload.buffer, payload.byteOffset).getUint32(0);
}
