import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { OUTCOMES, WELL_BEHAVED } from './adapters/simulated/behaviour.ts';
import { DELIVERY_ERRORS } from './domain/delivery-error.ts';

const readme = new URL('./README.md', import.meta.url);
const text = readFileSync(readme, 'utf8');

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: DELIVERY_ERRORS, readme });
});

test('the README lists how a simulated target can behave', () => {
  const rows = text.slice(text.indexOf('| `Behaviour` |'), text.indexOf('```ts'));
  for (const name of [...Object.keys(WELL_BEHAVED), ...OUTCOMES]) assert.ok(rows.includes(`\`${name}\``), name);
  assert.ok(rows.includes(`| \`latencyMs\` | ${WELL_BEHAVED.latencyMs} |`));
});
