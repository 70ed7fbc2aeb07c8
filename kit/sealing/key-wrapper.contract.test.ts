import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { FileKeyRing } from './file-key-ring.ts';
import { createKeyFile } from './key-file.ts';
import type { KeyWrapper } from './key-wrapper.ts';
import { memoryKeys } from './testing/memory-keys.ts';

const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'fleetshift-keys-'));
after(() => rmSync(folder, { recursive: true }));

function keyFile(): KeyWrapper & { rotate(): void } {
  const file = join(folder, 'keys.json');
  createKeyFile(file, 0);
  const ring = FileKeyRing.open(file);
  return Object.assign(ring, { rotate: () => void ring.add(1) });
}

/** The contract of every adapter; an adapter for a key management service runs it too. */
for (const [name, make] of Object.entries({ 'a file': keyFile, memory: memoryKeys })) {
  describe(`keys in ${name}`, () => {
    const keys = make();

    it('unwrap what they wrapped, also after another became active', async () => {
      const key = randomBytes(32);
      const wrapped = await keys.wrap(key, signal);
      assert.equal(wrapped.keyId, await keys.activeId(signal));
      keys.rotate();
      assert.notEqual(await keys.activeId(signal), wrapped.keyId);
      assert.deepEqual(Buffer.from(await keys.unwrap(wrapped, signal)), key);
    });

    it('have ids that a sealed text can hold', async () => {
      assert.match(await keys.activeId(signal), /^[A-Za-z0-9._-]{1,128}$/);
    });

    it('do not know what they never had', async () => {
      await assert.rejects(keys.unwrap({ keyId: 'x99', bytes: randomBytes(60) }, signal), { code: 'KEY_UNKNOWN' });
    });

    it('notice a changed key', async () => {
      const { keyId, bytes } = await keys.wrap(randomBytes(32), signal);
      const changed = Buffer.from(bytes);
      changed[20] = (changed[20] ?? 0) ^ 1;
      await assert.rejects(keys.unwrap({ keyId, bytes: changed }, signal), { code: 'SEAL_BROKEN' });
    });
  });
}
