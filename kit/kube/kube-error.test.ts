import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { DEFAULT_LIMITS } from './client/create-kube-client.ts';
import { isKubeError, KUBE_ERRORS, KubeError } from './kube-error.ts';

const README = new URL('./README.md', import.meta.url);

it('the README lists the errors as they are', () => catalogueMatchesReadme({ catalogue: KUBE_ERRORS, readme: README }));

it('the README lists the limits as they are', () => {
  const section =
    readFileSync(README, 'utf8')
      .split('\n## ')
      .find((part) => part.startsWith('Limits')) ?? '';
  const rows = [...section.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, name, value]) => [name, Number(value)]);
  assert.deepEqual(Object.fromEntries(rows), DEFAULT_LIMITS);
});

it('an error is told by its code', () => {
  const error = new KubeError('NOT_FOUND', 'get it');
  assert.ok(isKubeError(error) && isKubeError(error, 'CONFLICT', 'NOT_FOUND'));
  assert.ok(!isKubeError(error, 'CONFLICT') && !isKubeError(new Error('get it')));
});
