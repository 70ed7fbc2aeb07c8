import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aTarget, TIME } from '../testing/a-deployment.ts';
import { deliveryState } from './target-state.ts';
import { renderTargetsSection } from './targets-section.ts';

const order = (state: 'queued' | 'sent' | 'accepted', kind: 'deliver' | 'remove' = 'deliver') => ({
  order: { kind, revision: 7, state, since: TIME },
});
const FAILURE = { failure: { reason: 'Rejected', message: 'no', revision: 7 } };

for (const { its, want } of [
  { its: {}, want: 'Applied' },
  { its: { health: { status: 'Degraded', revision: 7, message: '' } }, want: 'Applied' },
  { its: order('queued'), want: 'Queued' },
  { its: order('sent'), want: 'Sent' },
  { its: { ...FAILURE, ...order('accepted') }, want: 'Applying' },
  { its: order('accepted', 'remove'), want: 'Removing' },
  { its: FAILURE, want: 'Failed' },
] as const) {
  test(`a delivery is ${want}`, () => assert.equal(deliveryState(aTarget('a', its)), want));
}

test('a delivery of which nothing arrived is None', () => {
  const { applied: _, ...rest } = aTarget('a');
  assert.equal(deliveryState(rest), 'None');
});

test('targets that are not well come first, each with its whole reason, and the delivery beside the health', () => {
  const message = `apps/v1/Deployment/shop/web: ${'not all replicas are updated yet, '.repeat(10)}at last`;
  const targets = [aTarget('a'), aTarget('b', { health: { status: 'Progressing', revision: 7, message } })];
  assert.equal(
    renderTargetsSection(targets, false),
    `TARGET  DELIVERY  HEALTH       REASON\nb       Applied   Progressing  ${message}\na       Applied   Available\n`,
  );
  const many = Array.from({ length: 30 }, (_, index) => aTarget(`t${index}`));
  assert.match(
    renderTargetsSection(many, false),
    /^t19 .*\nand more; fleetshift rollout status --all-targets lists them\n$/m,
  );
  assert.equal(renderTargetsSection([], false), 'none\n');
});
