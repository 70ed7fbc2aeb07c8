import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { AccessIndex } from '#contexts/access';
import { IndexedDecisions } from '#contexts/access/adapters';
import { openKeyRing, Sealer } from '#kit/sealing';
import { systemClock } from '#kit/std';
import type { Storage } from '#kit/storage';
import { SCHEMA_MODULES } from '#runtime/instance/schema';
import { freshDatabase, type TestDatabase } from '#testing/databases';
import { memoryLogger } from '../../contexts/governance/testing/governance-api.ts';
import { resolvePlatformConfig } from './config.ts';
import { operatorDialGuard } from './dial-guard.ts';
import { openCallers } from './open-callers.ts';

const signal = new AbortController().signal;
const CORP = '{ name: corp, url: https://corp.example, clientId: fleet, mode: isolated';

describe('a file with issuers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-issuers-'));
  const file = join(folder, 'issuers.yaml');
  let database: TestDatabase;
  let storage: Storage;
  let sealer: Sealer;
  before(async () => {
    database = await freshDatabase('sqlite');
    storage = await database.open(SCHEMA_MODULES);
    sealer = new Sealer(await openKeyRing({ file: join(folder, 'keys.json'), storage, clock: systemClock }, signal));
  });
  after(async () => {
    await database.dispose();
    rmSync(folder, { recursive: true });
  });

  const openWith = (named: string) => {
    const { values: config } = resolvePlatformConfig({
      args: ['--issuers-file', named],
      environment: {},
      readText: () => '',
    });
    const grants = { dropGrantsTo: async () => [], forget: () => {} };
    const decisions = new IndexedDecisions(new AccessIndex());
    const guard = operatorDialGuard(config, () => ({}));
    const dial = { issuers: guard, named: guard };
    const rest = {
      dial,
      adminToken: undefined,
      dataFolder: folder,
      urls: () => [],
      grants,
      decisions,
      log: memoryLogger([]),
    };
    return openCallers({ config, storage, sealer, ...rest });
  };

  it('is taken when nothing is wrong with it', () => {
    writeFileSync(file, `- ${CORP} }\n`);
    openWith(file).close();
  });

  for (const { why, text, says } of [
    { why: 'no YAML', text: '- {', says: /cannot be read: / },
    { why: 'no list', text: `${CORP} }`, says: /must be a list of issuers/ },
    {
      why: 'a field that is wrong',
      text: '- { name: corp, url: https://corp.example, clientId: 7, mode: isolated }',
      says: /\/0\/clientId /,
    },
    { why: 'a field that does not exist', text: `- ${CORP}, colour: red }`, says: /\/0\/colour is not a field/ },
    {
      why: 'a file beside it that is missing',
      text: `- ${CORP}, caFile: /nowhere/ca }`,
      says: /\/0\/caFile .*\/nowhere\/ca/,
    },
  ]) {
    it(`is named when it holds ${why}`, () => {
      writeFileSync(file, text);
      assert.throws(
        () => openWith(file),
        ({ code, message }: { code?: string; message: string }) => {
          assert.equal(code, 'ISSUERS_UNUSABLE', message);
          assert.ok(message.startsWith(`the issuers in ${file} `), message);
          assert.match(message, says);
          return true;
        },
      );
    });
  }

  it('is named when it is missing', () => {
    const missing = join(folder, 'missing.yaml');
    assert.throws(() => openWith(missing), { code: 'ISSUERS_UNUSABLE' });
  });
});
