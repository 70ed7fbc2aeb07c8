/** The lifetime of an end, and the number of the handshake within it. */
export function handshakeName(life: string, count: number): string {
  return `${life}.${count}`;
}

/** Whether `name` was made before `than` in the same lifetime. Names in another format are never older. */
export function isOlderHandshake(name: string, than: string): boolean {
  const [one, other] = [parse(name), parse(than)];
  return one !== undefined && other !== undefined && one.life === other.life && one.count < other.count;
}

function parse(name: string): { life: string; count: number } | undefined {
  const dot = name.lastIndexOf('.');
  const count = name.slice(dot + 1);
  return dot > 0 && /^\d+$/.test(count) ? { life: name.slice(0, dot), count: Number(count) } : undefined;
}
