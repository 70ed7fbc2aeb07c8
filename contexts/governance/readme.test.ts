import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { AUDIT_OUTCOMES } from '#kit/http';
import { AUDIT_FAULT_NAMES, AUDIT_OUTCOME_NAMES } from '#protocol/api';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { OUTCOMES } from './domain/audit-entry.ts';
import { GOVERNANCE_ERRORS } from './domain/governance-error.ts';
import { METERS } from './domain/meter.ts';
import { CHAIN_FAULTS } from './domain/verify-chain.ts';

const readme = new URL('./README.md', import.meta.url);

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: GOVERNANCE_ERRORS, readme });
});

test('the README names every meter and every outcome', () => {
  const text = readFileSync(readme, 'utf8');
  for (const word of [...Object.keys(METERS), ...OUTCOMES]) assert.ok(text.includes(`\`${word}\``), word);
});

test('the API, the HTTP server and the domain have the same words', () => {
  assert.deepEqual([...AUDIT_OUTCOME_NAMES], [...OUTCOMES]);
  assert.deepEqual([...AUDIT_OUTCOMES], [...OUTCOMES]);
  assert.deepEqual([...AUDIT_FAULT_NAMES], [...CHAIN_FAULTS]);
});
