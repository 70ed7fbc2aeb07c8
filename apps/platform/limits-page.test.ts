import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { STRANGERS_UNOPENED } from '#contexts/channels';
import { VERIFIED_AT_ONCE } from '#contexts/identity/adapters';
import { DEFAULT_LIMITS } from '#kit/http';
import { FIRST_FRAME_BYTES } from '#kit/transport';
import {
  ADMIT_WITHIN_MS,
  ARRIVING,
  FIRST_BYTES_MS,
  FLOOD_LIMITS,
  HANDSHAKE_WAIT_MS,
  HANDSHAKES,
  MAX_PROXY_HEADER_BYTES,
  STRANGERS,
  STRANGERS_STREAMS,
} from '#kit/transport/grpc';

const http = DEFAULT_LIMITS;
const both = ({ total, each }: { readonly total: number; readonly each: number }): string => `${total}, ${each}`;
const seconds = (ms: number): string => `${ms / 1000} s`;

const EXPECTED: Readonly<Record<string, string>> = {
  'connections without valid credentials': both(http.strangersConnections),
  'connections, on each listener': String(http.connections),
  'requests to public routes under way': both(http.strangersInFlight),
  'requests to public routes of one address, in a minute': String(http.perAddress.max),
  'requests without valid credentials of one address, in a minute': String(http.perAddress.max),
  'body of a request to a public route': `${http.publicBodyBytes} bytes; 40960 for \`/v1/enroll\``,
  'time to send it': seconds(http.publicReceiveMs),
  'time to send the headers': seconds(http.headersMs),
  headers: `${http.headerBytes} bytes`,
  'signatures of tokens that are verified at once, for one address': String(VERIFIED_AT_ONCE),
  'requests under way': String(http.inFlight),
  'of these each principal always has': String(http.inFlightEach),
  'time to send a request': seconds(http.receiveMs),
  'connections whose TLS handshake is not through': both(ARRIVING),
  'time until the first byte': seconds(FIRST_BYTES_MS),
  'time to wait for the turn of a handshake': seconds(HANDSHAKE_WAIT_MS),
  'unfinished handshakes': both(HANDSHAKES),
  'connections of strangers': both(STRANGERS),
  'time until one of their streams is admitted': seconds(ADMIT_WITHIN_MS),
  'streams on one of them': String(STRANGERS_STREAMS),
  'streams of strangers that are not admitted': both(STRANGERS_UNOPENED),
  'the first frame of a stream': `${FIRST_FRAME_BYTES} bytes`,
  'header of the PROXY protocol': `${MAX_PROXY_HEADER_BYTES} bytes`,
  'resets of streams on one connection': `${FLOOD_LIMITS.streamResetBurst} at once, ${FLOOD_LIMITS.streamResetRate} a second`,
  'invalid frames on one connection': String(FLOOD_LIMITS.maxSessionInvalidFrames),
};

describe('the page of limits', () => {
  it('has the numbers of the code', () => {
    const page = readFileSync(new URL('../../docs/reference/limits.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)].map(([, limit = '', number = '']) => [
      limit,
      number,
    ]);
    const limits = rows.filter(([limit, number]) => number !== 'number' && limit !== undefined);
    assert.deepEqual(Object.fromEntries(limits), EXPECTED);
  });
});
