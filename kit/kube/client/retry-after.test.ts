import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retryAfterMs } from './retry-after.ts';

describe('retryAfterMs', () => {
  const now = Date.UTC(2030, 0, 1);
  const rows = [
    { why: 'none', header: undefined, want: undefined },
    { why: 'seconds', header: '3', want: 3000 },
    { why: 'at once', header: '0', want: 0 },
    { why: 'a date', header: new Date(now + 5000).toUTCString(), want: 5000 },
    { why: 'a date that has passed', header: new Date(now - 5000).toUTCString(), want: 0 },
    { why: 'longer than we are willing to', header: '86400', want: 60_000 },
    { why: 'nonsense', header: 'soon', want: undefined },
  ];
  for (const { why, header, want } of rows) it(why, () => assert.equal(retryAfterMs(header, now), want));
});
