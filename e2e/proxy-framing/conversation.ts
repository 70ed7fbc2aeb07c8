import type { SeededRandom } from '#testing/seeded';
import { chunked, hiddenRequest } from './bodies.ts';
import type { Caller, Place } from './place.ts';

/** One request, and what the API server may see of it. */
export interface Asked {
  readonly as: Caller;
  readonly method: string;
  /** The path at the API server, unique to this request. */
  readonly path: string;
  readonly body: string;
  /** `never`: refused on the way. `cut`: perhaps only its beginning. */
  readonly arrives: 'whole' | 'cut' | 'never';
  /** Whether the next request on the same connection is still read. */
  readonly isFollowed: boolean;
  /** A malformed request ends its connection, along with any answers still due on it. */
  readonly isMalformed?: true;
  /** Whether it gets the answer to its path. */
  readonly isAnswered: boolean;
  /** Bytes that come back unchanged once the connection is upgraded. */
  readonly echo?: string;
  readonly bytes: string;
}

export interface Conversation {
  readonly asked: readonly Asked[];
  /** Whether the caller disconnects as soon as everything is written. */
  readonly isLeft: boolean;
  /** Whether its progress depends on timing. */
  readonly isUnsure: boolean;
}

const READS = ['GET', 'HEAD', 'OPTIONS'];
const METHODS = [...READS, 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'];

/** Headers that a caller may add, and that must have no effect. */
const ODD_LINES = [
  'Connection: content-length, transfer-encoding',
  'Connection: keep-alive, x-custom, host, fleetshift-identity',
  'Expect: 100-continue',
  'TE: trailers, chunked',
  'Trailer: Content-Length',
  'Keep-Alive: timeout=1',
  'Proxy-Connection: Transfer-Encoding',
  'X-HTTP-Method-Override: DELETE',
  'X-Remote-User: system:admin',
  'Content-Encoding: chunked',
  'X-Chunked: 1',
  'fleetshift-proof: 1',
  `fleetshift-identity: ${encodeURIComponent('{"kind":"impersonate","user":"admin:admin","groups":[],"role":"admin"}')}`,
  Array.from({ length: 200 }, (_, at) => `X-Many-${at}: 1`).join('\r\n'),
];

type Draft = Pick<Asked, 'as' | 'method' | 'path' | 'body'> & {
  readonly id: string;
  readonly place: Place;
  readonly lines: readonly string[];
  readonly last: boolean;
};

export interface ConversationKind {
  readonly place: Place;
  /** The API server answers some requests maliciously. */
  readonly isHostile: boolean;
}

/** A few random requests, one after the other on one connection. */
export function conversationOf(id: string, random: SeededRandom, { place, isHostile }: ConversationKind): Conversation {
  const draft = (at: number, last: boolean): Draft => draftOf(`${id}-${at}`, random, { place, last });
  const chance = random.next();
  if (chance < 0.03) {
    return { asked: [leaving(draft(0, true), random)], isLeft: true, isUnsure: true };
  }
  if (chance < 0.06) return upgradeBehind(draft(0, false), draft(1, true), random);
  const asked: Asked[] = [];
  const most = random.integer(1, 4);
  for (let at = 0; at < most; at += 1) {
    const own = draft(at, at === most - 1);
    const next = at === 0 && random.next() < 0.12 ? upgrade(own, random) : askedOf(own, random, isHostile);
    asked.push(next);
    // Further requests may follow one that ends the connection; none of them arrives.
    if (!next.isFollowed) break;
  }
  return { asked, isLeft: false, isUnsure: isHostile || asked.slice(1).some(({ isMalformed }) => isMalformed) };
}

/** An upgrade right behind a request that is not answered yet: the connection ends there. */
function upgradeBehind(first: Draft, second: Draft, random: SeededRandom): Conversation {
  const asked = [plain(first, random, true), upgrade(second, random)];
  return { asked: asked.map((each) => ({ ...each, isAnswered: false })), isLeft: false, isUnsure: true };
}

function draftOf(id: string, random: SeededRandom, { place, last }: Pick<Draft, 'place' | 'last'>): Draft {
  const lines = ODD_LINES.filter(() => random.next() < 0.08);
  return {
    as: random.pick(['vera', 'vera', 'dora', 'ada', 'mallory'] as const),
    method: random.pick(METHODS),
    path: place.pathOf(id, random),
    body: random.next() < 0.4 ? '' : place.bodyOf(id, random),
    lines: [`X-Forwarded-For: 10.${[0, 1, 2].map(() => random.integer(0, 255)).join('.')}`, ...random.shuffled(lines)],
    id,
    place,
    last,
  };
}

function askedOf(draft: Draft, random: SeededRandom, isHostile: boolean): Asked {
  const chance = random.next();
  if (isHostile && chance < 0.3)
    return plain({ ...draft, last: true, lines: [...draft.lines, answerLine(draft, random)] }, random, false);
  if (chance < 0.25) return malformed(draft, random);
  return plain(draft, random, true);
}

function isAllowed({ as, method }: Pick<Draft, 'as' | 'method'>, isUpgrade: boolean): boolean {
  if (as === 'mallory') return false;
  return as !== 'vera' || (READS.includes(method) && !isUpgrade);
}

function headOf(draft: Draft, more: readonly string[], version = '1.1'): string {
  const { as, method, path, place, lines, last } = draft;
  const authorization = `Authorization: Bearer ${place.tokenOf(as)}`;
  const all = ['Host: x', authorization, ...lines, ...more, ...(last ? ['Connection: close'] : [])];
  return `${method} ${place.door}${path} HTTP/${version}\r\n${all.join('\r\n')}\r\n\r\n`;
}

/** Frames the body with a length, in chunks, or not at all if it is empty. */
function framed(draft: Draft, random: SeededRandom): { readonly line: readonly string[]; readonly bytes: string } {
  if (draft.body === '' && random.next() < 0.6) return { line: [], bytes: '' };
  if (random.next() < 0.5) return { line: [`Content-Length: ${draft.body.length}`], bytes: draft.body };
  return {
    line: [random.pick(['Transfer-Encoding: chunked', 'transfer-encoding:CHUNKED'])],
    bytes: chunked(draft.body, random),
  };
}

function plain(draft: Draft, random: SeededRandom, isAnswered: boolean): Asked {
  const { line, bytes } = framed(draft, random);
  const may = isAllowed(draft, false);
  return {
    ...draft,
    arrives: may ? 'whole' : 'never',
    isFollowed: may && !draft.last,
    isAnswered: may && isAnswered,
    bytes: `${headOf(draft, line)}${bytes}`,
  };
}

/** The server accepts the upgrade or refuses it; either way, the bytes that follow are not a request. */
function upgrade(draft: Draft, random: SeededRandom): Asked {
  const method = random.pick(['GET', 'POST']);
  const { path, isTaken } = draft.place.upgradeOf(draft.id, draft.path, random);
  const asked = { ...draft, method, body: '', path, last: false };
  const lines = draft.lines.filter((line) => !line.startsWith('Connection') && !line.startsWith('Expect'));
  const more = ['Connection: Upgrade', 'Upgrade: echo'];
  const may = isAllowed(asked, true);
  const behind = `${random.next() < 0.5 ? hiddenRequest(draft.path.slice(-6)) : 'hello'}END!`;
  return {
    ...asked,
    arrives: may ? 'whole' : 'never',
    isFollowed: false,
    isAnswered: may,
    ...(may && isTaken ? { echo: behind } : {}),
    bytes: `${headOf({ ...asked, lines }, more)}${behind}`,
  };
}

/** The caller disconnects in the middle of the body. */
function leaving(draft: Draft, random: SeededRandom): Asked {
  const body = `${draft.body}${hiddenRequest('left')}`;
  const line = random.next() < 0.5 ? `Content-Length: ${body.length + 5}` : 'Transfer-Encoding: chunked';
  const bytes = line.startsWith('C') ? body : chunked(body, random).slice(0, -5);
  const arrives = isAllowed(draft, false) ? 'cut' : 'never';
  return { ...draft, body, arrives, isFollowed: false, isAnswered: false, bytes: `${headOf(draft, [line])}${bytes}` };
}

type Spoil = (draft: Draft, random: SeededRandom) => string;

const withLines =
  (...lines: readonly string[]): Spoil =>
  (draft) =>
    `${headOf(draft, lines)}${hiddenRequest('line')}`;
const inChunks =
  (...lines: readonly string[]): Spoil =>
  (draft, random) =>
    `${headOf(draft, lines)}${chunked(`${draft.body}${hiddenRequest('chunk')}`, random)}`;
const atPath =
  (path: string): Spoil =>
  (draft) =>
    headOf({ ...draft, path: `${draft.path.split('?')[0]}${path}` }, []);

/** Requests refused because of their head, by either parser. */
const REFUSED: readonly Spoil[] = [
  inChunks('Content-Length: 3', 'Transfer-Encoding: chunked'),
  inChunks('Transfer-Encoding: chunked', 'Content-Length: 3'),
  inChunks('Transfer-Encoding: gzip, chunked'),
  inChunks('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'),
  inChunks('Transfer-Encoding: chunked, identity'),
  inChunks('Transfer-Encoding: identity'),
  inChunks('Transfer-Encoding: xchunked'),
  inChunks('Transfer-Encoding : chunked'),
  inChunks('Transfer-Encoding:\r\n chunked'),
  inChunks('Transfer-Encoding: chunked;q=1'),
  inChunks('Connection: Upgrade', 'Upgrade: echo', 'Transfer-Encoding: chunked'),
  withLines('Connection: Upgrade', 'Upgrade: echo', 'Content-Length: 5'),
  withLines('Content-Length: 3', 'Content-Length: 3'),
  withLines('Content-Length: 3', 'Content-Length: 4'),
  withLines('Content-Length: +3'),
  withLines('Content-Length: 3, 3'),
  withLines('Content-Length: -1'),
  withLines('Content-Length: 0x3'),
  withLines('Content-Length: 99999999999999999999'),
  withLines('X-Odd: a\x00b'),
  withLines('X Odd: a'),
  withLines('X-Odd: a\nTransfer-Encoding: chunked'),
  withLines('X-Odd: a\rb'),
  withLines('Impersonate-User: system:admin'),
  withLines(Array.from({ length: 1_100 }, () => 'x:1').join('\r\n')),
  atPath('/..'),
  atPath('/../b'),
  atPath('/%2e%2E/b'),
  atPath('/%252e%252e/b'),
  atPath('/x%2f..%2fb'),
  atPath('/..;/b'),
  atPath('#b'),
  atPath('/\xff'),
  (draft, random) => `${headOf(draft, ['Transfer-Encoding: chunked'], '1.0')}${chunked(draft.body, random)}`,
  (draft) => headOf(draft, [], '2.0'),
  (draft) => headOf(draft, []).replaceAll('\r\n', '\n'),
  (draft) => headOf({ ...draft, method: 'CONNECT' }, []),
];

/** Bodies that turn out to be malformed: the beginning of the request may have arrived. */
const BROKEN: readonly string[] = [
  'zz\r\nab\r\n0\r\n\r\n',
  '3\r\nabcdef\r\n0\r\n\r\n',
  '-1\r\na\r\n',
  'ffffffffffffffffff\r\na',
  '3 \n\nabc',
  '0\r\nContent-Length: 3\r\n\r\n',
];

function malformed(draft: Draft, random: SeededRandom): Asked {
  const unseen = { ...draft, isFollowed: false, isAnswered: false, isMalformed: true } as const;
  // A client that expects `100 Continue` has told the server not to read on before that.
  const lines = draft.lines.filter((line) => !line.startsWith('Connection'));
  if (random.next() < 0.8) {
    return { ...unseen, arrives: 'never', bytes: random.pick(REFUSED)({ ...draft, lines, last: true }, random) };
  }
  const bytes = `${headOf({ ...draft, lines, last: true }, ['Transfer-Encoding: chunked'])}2\r\nok\r\n${random.pick(BROKEN)}`;
  return { ...unseen, body: 'okabc', arrives: isAllowed(draft, false) ? 'cut' : 'never', bytes };
}

/** Answers of a malicious server, with an answer for another caller inside. */
function answerLine({ path }: Draft, random: SeededRandom): string {
  const planted = `HTTP/1.1 200 OK\r\nX-Case: planted-${path}\r\nContent-Length: 7\r\n\r\nplanted`;
  const raw = random.pick([
    `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok${planted}`,
    `HTTP/1.1 204 No\r\nContent-Length: ${planted.length}\r\n\r\n${planted}`,
    `HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n${planted}`,
    `HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${planted}`,
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${planted}`,
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${planted}`,
    `HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 103 Hint\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n${planted}`,
    `HTTP/1.1 101 Odd\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n${planted}`,
    `HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n${planted}`,
    `HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n${planted}`,
    `HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n${planted}`,
    `HTTP/1.1 200 OK\r\nX-Odd: a\nX-Case: planted\r\nContent-Length: 0\r\n\r\n`,
    `HTTP/1.1 200 OK\r\nfleetshift-proof: x\r\nConnection: x-case, close\r\nContent-Length: 0\r\n\r\n${planted}`,
    planted.slice(8),
  ]);
  return `X-Answer: ${Buffer.from(raw, 'latin1').toString('base64')}`;
}
