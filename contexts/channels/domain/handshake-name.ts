/** A life of an end, and which of its handshakes it is. */
export function handshakeName(life: string, count: number): string {
  return `${life}.${count}`;
}

/** Was it made before the other, by the same life? Names of another form come when they come. */
export function isOlderHandshake(name: string, than: string): boolean {
  const [one, other] = [parse(name), parse(than)];
  return one !== undefined && other !== undefined && one.life === other.life && one.count < other.count;
}

function parse(name: string): { life: string; count: number } | undefined {
  const dot = name.lastIndexOf('.');
  const count = name.slice(dot + 1);
  return dot > 0 && /^\d+$/.test(count) ? { life: name.slice(0, dot), count: Number(count) } : undefined;
}
