import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DEPLOYMENT_EVENTS } from '#protocol/api';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { DEPLOYMENT_ERRORS } from './domain/deployment/deployment-error.ts';
import type { DeploymentEventType } from './domain/deployment/deployment-event.ts';
import { CONDITION_REASONS } from './domain/deployment/status/conditions.ts';

const readme = new URL('./README.md', import.meta.url);
const text = readFileSync(readme, 'utf8');

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: DEPLOYMENT_ERRORS, readme });
});

test('the README lists exactly the events that there are', () => {
  const listed = text.matchAll(/^\| `((?:deployment|rollout|approval|delivery)\.[a-zA-Z]+)` \|/gm);
  const there: readonly DeploymentEventType[] = DEPLOYMENT_EVENTS;
  assert.deepEqual(
    Array.from(listed, ([, type]) => type),
    [...there],
  );
});

test('the README lists exactly the reasons that conditions have', () => {
  const section = text.slice(text.indexOf('## Conditions'), text.indexOf('## REST'));
  const listed = Array.from(section.matchAll(/^\| `([A-Z]\w+)` \|(.*)$/gm), ([, type = '', row = '']) => {
    const reasons = Array.from(row.matchAll(/`(\w+)`/g), ([, reason = '']) => reason);
    return [type, [...new Set(reasons)].sort()] as const;
  });
  const there = Object.entries(CONDITION_REASONS).map(([type, reasons]) => [
    type,
    [...new Set<string>(reasons)].sort(),
  ]);
  assert.deepEqual(listed, there);
});
