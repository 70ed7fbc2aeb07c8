import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { endpointsFile, writeEndpoints } from './endpoints-file.ts';

describe('where a platform serves', () => {
  it('is in its data folder while it runs, for its owner alone', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'fs-endpoints-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const remove = writeEndpoints(folder, {
      http: { host: '127.0.0.1', port: 8700 },
      https: { host: '::', port: 8701 },
    });
    const file = endpointsFile(folder);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {
      urls: ['http://127.0.0.1:8700', 'https://127.0.0.1:8701', 'https://[::1]:8701', 'https://localhost:8701'],
    });
    remove();
    assert.equal(existsSync(file), false);
  });
});
