import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret, StdError } from '#kit/std';
import { LOG_KEYS } from './log-keys.ts';
import { createLogger, type LoggerOptions } from './logger.ts';
import { memoryLogger } from './testing/index.ts';

function written(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  return {
    lines,
    log: createLogger({ level: 'debug', ...options, destination: { write: (line) => lines.push(line) } }),
  };
}

test('a line is one JSON object with time, level, fields and message', () => {
  const { lines, log } = written();
  log.info({ component: 'outbox', count: 3 }, 'dispatched');
  const [line = ''] = lines;
  const { time, ...rest } = JSON.parse(line) as Record<string, unknown>;
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, { level: 'info', component: 'outbox', count: 3, msg: 'dispatched' });
  assert.ok(line.endsWith('}\n'));
});

test('what is below the level is not written, nor looked at', () => {
  const { lines, log } = written({ level: 'warn' });
  const trap = {
    get reason(): string {
      throw new Error('looked at');
    },
  };
  log.debug(trap, 'quiet');
  log.info(trap, 'quiet');
  log.warn({}, 'loud');
  log.error({}, 'louder');
  assert.equal(lines.length, 2);
});

test('silent is silent', () => {
  const { lines, log } = written({ level: 'silent' });
  log.error({}, 'nobody hears');
  assert.deepEqual(lines, []);
});

test('a child, and its child, add their fields to each line', () => {
  const { log, lines } = memoryLogger();
  log.child({ component: 'http' }).child({ requestId: 'r1' }).info({ status: 200 }, 'served');
  assert.deepEqual(lines, [{ level: 'info', component: 'http', requestId: 'r1', status: 200, msg: 'served' }]);
});

test('secrets are gone by field, by type and by pattern, at the root, in children and in grandchildren', () => {
  const { lines, log } = written();
  const fields = {
    reason: { headers: { Authorization: 'hunter2' }, deep: [{ kubeconfig: 'hunter2' }] },
    source: new Secret('hunter2'),
    path: '/v1/x?token=hunter2',
    err: new Error('refused Bearer hunter2', { cause: new Error('fst_hunter2') }),
  };
  log.info(fields, 'got fst_hunter2');
  log.child(fields).info({}, 'line');
  log.child({}).child(fields).info({}, 'line');
  assert.equal(lines.length, 3);
  assert.ok(!lines.join('').includes('hunter2'), lines.join(''));
});

test('an error keeps its code, its details and its cause as fields', () => {
  const { log, lines } = memoryLogger();
  const err = new StdError('INVALID_NAME', 'outer', { cause: new TypeError('inner'), details: { name: 'X' } });
  log.error({ err }, 'line');
  assert.partialDeepStrictEqual(lines, [
    { err: { type: 'StdError', code: 'INVALID_NAME', details: { name: 'X' }, cause: { type: 'TypeError' } } },
  ]);
});

test('a message is text and not a format', () => {
  const { log, lines } = memoryLogger();
  log.info({}, '100 %s of %o');
  assert.equal(lines[0]?.msg, '100 %s of %o');
});

test('fields that cannot be read cost the fields, not the line', () => {
  const { log, lines } = memoryLogger();
  const trap = {
    get reason(): string {
      throw new Error('boom');
    },
  };
  log.info(trap, 'still here');
  assert.deepEqual(lines, [{ level: 'info', reason: '[unreadable]', msg: 'still here' }]);
});

test('a pretty line is for people', () => {
  const { lines, log } = written({ pretty: true });
  const err = new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'ECONNREFUSED' }) });
  log.warn({ component: 'http', path: '/a b', err }, 'refused; will retry');
  const [line = ''] = lines;
  assert.match(
    line,
    /^\d\d:\d\d:\d\d\.\d{3} WARN {2}refused; will retry component=http path="\/a b"\n {2}Error: outer\n/,
  );
  assert.match(line, /\n {2}caused by: \[ECONNREFUSED\] Error: inner\n {6}at /);
});

test('no key of the vocabulary is listed twice or is one of the line itself', () => {
  assert.equal(new Set(LOG_KEYS).size, LOG_KEYS.length);
  assert.deepEqual(
    LOG_KEYS.filter((key) => ['time', 'level', 'msg'].includes(key)),
    [],
  );
});

test('a key outside the vocabulary does not compile', () => {
  const { log, lines } = memoryLogger();
  // @ts-expect-error: `LogFields` has no such key. If this compiles, the vocabulary is no longer enforced.
  log.info({ anythingElse: 1 }, 'line');
  assert.equal(lines.length, 1);
});
