import type { SeededRandom } from '#testing/seeded';

const ADMIN = encodeURIComponent('{"kind":"impersonate","user":"admin:admin","groups":[],"role":"admin"}');

/** A request inside a body, which must never be interpreted as one. */
export function hiddenRequest(id: string): string {
  const head = `POST /smuggled/${id.replaceAll(/[^\w-]/g, '-')} HTTP/1.1\r\nHost: kubernetes\r\nfleetshift-identity: ${ADMIN}`;
  return `${head}\r\nfleetshift-proof: x\r\nImpersonate-User: system:admin\r\nContent-Length: 0\r\n\r\n`;
}

/** A body whose content would be a request if the body ended elsewhere. */
export function smuggledBody(id: string, random: SeededRandom): string {
  const hidden = hiddenRequest(id);
  return random.pick([
    hidden,
    `0\r\n\r\n${hidden}`,
    `\r\n\r\n${hidden}${hidden}`,
    `HTTP/1.1 200 OK\r\nX-Case: planted-${id}\r\nContent-Length: 0\r\n\r\n`,
    '{"kind":"Pod"}',
    'x'.repeat(random.integer(1, 70_000)),
  ]);
}

/** The body in chunks of any size, using everything the format allows. */
export function chunked(body: string, random: SeededRandom): string {
  const parts: string[] = [];
  for (let at = 0; at < body.length; ) {
    const size = random.integer(1, body.length > 1_000 ? 40_000 : 200);
    const chunk = body.slice(at, at + size);
    const hex = chunk.length.toString(16);
    const extension = random.next() < 0.1 ? ';name="Content-Length: 3"' : '';
    parts.push(`${random.pick([hex, hex.toUpperCase(), `000${hex}`])}${extension}\r\n${chunk}\r\n`);
    at += size;
  }
  const trailer = random.next() < 0.1 ? 'X-Trailer: 1\r\nfleetshift-identity: x\r\n' : '';
  return `${parts.join('')}0\r\n${trailer}\r\n`;
}
