import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseTemporalUrl } from './temporal-url.ts';

for (const { url, want } of [
  { url: 'temporal://temporal.example:7000/fleet', want: { address: 'temporal.example:7000', namespace: 'fleet' } },
  { url: 'temporal://temporal.example/fleet', want: { address: 'temporal.example:7233', namespace: 'fleet' } },
  { url: 'temporal://temporal.example:7233', want: { address: 'temporal.example:7233', namespace: 'default' } },
  { url: 'temporal://[::1]:7233/a%20b', want: { address: '[::1]:7233', namespace: 'a b' } },
]) {
  it(`reads ${url}`, () => assert.deepEqual(parseTemporalUrl(url), want));
}

for (const { url, why } of [
  { url: 'temporal.example:7233', why: 'without a scheme' },
  { url: 'http://temporal.example:7233/fleet', why: 'with the scheme of something else' },
  { url: 'temporal:///fleet', why: 'without a host' },
  { url: 'temporal://temporal.example/fleet/more', why: 'with a path that is no namespace' },
  { url: 'temporal://temporal.example/fleet?tls=yes', why: 'with a setting that does not go there' },
  { url: 'temporal://somebody:secret@temporal.example/fleet', why: 'with a password, which nobody would hide' },
]) {
  it(`refuses an address ${why}, without repeating it`, () => {
    assert.throws(
      () => parseTemporalUrl(url),
      (error: Error & { code: string }) => error.code === 'TEMPORAL_URL_INVALID' && !error.message.includes('secret'),
    );
  });
}
