import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { eachDatabase } from '#testing/databases';
import { httpMigrations } from '../index.ts';
import { AS_ALICE, testServer } from './test-server.ts';
import { thingRoutes } from './thing-routes.ts';
import { thingMigrations } from './thing-store.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed()),
  fc.constantFrom('lamp', 'a-b', '*', 'true', '10', 'name == "a"', 'color.matches("(a+)+$")', '..', '\0', ':paint'),
);
const segment = fc.oneof(text.map(encodeURIComponent), fc.constantFrom('lamp', 'lamp:paint', 'a:b', '%zz', '%c3%28'));
const parameter = fc.tuple(fc.constantFrom('pageSize', 'pageToken', 'filter', 'dryRun', 'x', '__proto__'), text);
const url = fc
  .tuple(
    fc.constantFrom('/v1/things', '/healthz', '/docs', '/v1'),
    fc.option(segment),
    fc.array(parameter, { maxLength: 3 }),
  )
  .map(([path, rest, query]) => {
    const pairs = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    return `${path}${rest === null ? '' : `/${rest}`}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
  });
const ascii = fc.string({ unit: 'grapheme-ascii' });
const headers = fc.record(
  {
    'if-match': fc.oneof(ascii, fc.constantFrom('*', '"1-a"')),
    'if-none-match': ascii,
    'idempotency-key': fc.oneof(ascii, fc.constantFrom('k1', 'k2')),
    'content-type': fc.constantFrom('application/json', 'text/plain', 'application/json; charset=latin1'),
  },
  { requiredKeys: [] },
);
const color = fc.constantFrom('red', 'green', 'blue');
const payload = fc.oneof(
  fc.json(),
  fc.record({ name: text, color }).map((thing) => JSON.stringify(thing)),
  fc.record({ color }).map((thing) => JSON.stringify(thing)),
  ascii,
);
const method = fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS' as const);

eachDatabase('any request', (fresh) => {
  it('is answered or refused with a problem, and never breaks anything', async () => {
    const database = await fresh();
    const rate = { max: 1_000_000, windowMs: 60_000 };
    const storage = await database.open([httpMigrations, thingMigrations]);
    const limits = { perPrincipal: rate, perAddress: rate };
    const { server, log } = await testServer(thingRoutes(storage), { limits });
    const request = fc.record({ method, url, headers, payload: fc.option(payload, { nil: undefined }) });
    try {
      await fc.assert(
        fc.asyncProperty(request, async ({ headers: own, payload: body, ...line }) => {
          const answer = await server.inject({
            ...line,
            headers: { ...AS_ALICE, ...own },
            ...(body === undefined ? {} : { payload: body }),
          });
          assert.ok(answer.statusCode < 500, `${answer.body} ${String(log.at('error').at(-1)?.fields.err)}`);
          if (answer.statusCode < 400) return;
          assert.equal(answer.headers['content-type'], 'application/problem+json');
          if (line.method !== 'HEAD') assert.equal(answer.json().status, answer.statusCode);
        }),
        { numRuns: 500 },
      );
    } finally {
      await server.close(1000);
      await database.dispose();
    }
  });
});
