import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderEvent } from './render-event.ts';

const NO_STATUS = { status: { counts: { placed: 3, available: 0 } } };
const rollout = (fields: object) => ({
  status: { counts: { placed: 3, available: 2 }, rollout: { revision: 4, ...fields } },
});

for (const { type, data, says } of [
  { type: 'target.connectionChanged', data: { connection: { state: 'Connected' } }, says: ': Connected' },
  { type: 'target.placementChanged', data: { fields: ['labels', 'type'] }, says: ': labels, type changed' },
  { type: 'target.updated', data: { lifecycle: 'Cordoned' }, says: ': Cordoned' },
  { type: 'target.assigned', data: { workspace: 'web' }, says: ': to web' },
  { type: 'deployment.created', data: NO_STATUS, says: '' },
  { type: 'rollout.planned', data: rollout({ phase: 'Running' }), says: ': revision 4 Running, 2/3 available' },
  {
    type: 'deployment.statusChanged',
    data: rollout({ phase: 'Paused', reason: 'FailuresExceeded' }),
    says: ': revision 4 Paused (FailuresExceeded), 2/3 available',
  },
  {
    type: 'rollout.finished',
    data: rollout({ phase: 'Finished', outcome: 'Succeeded' }),
    says: ': revision 4 Succeeded, 2/3 available',
  },
  {
    type: 'delivery.changed',
    data: {
      count: 5,
      targets: [
        { target: 'a', failure: { reason: 'ApplyFailed' }, order: { state: 'Sent' } },
        { target: 'b', order: { state: 'Sent' } },
        { target: 'c', health: { status: 'Available' } },
      ],
    },
    says: ': a ApplyFailed, b Sent, c Available and 2 more',
  },
  { type: 'fleetlet.updated', data: { state: 'Active' }, says: ': Active' },
  { type: 'addon.something', data: undefined, says: '' },
]) {
  test(`${type} says "${says}"`, () => {
    const event = { time: '2030-01-01T00:00:00.000Z', subject: 'things/a', workspace: 'web', data };
    assert.equal(renderEvent(type, event), `2030-01-01T00:00:00Z  ${type}  things/a in web${says}`);
  });
}

test('an event cannot control the terminal', () => {
  const event = { time: '2030-01-01T00:00:00Z', subject: 'a', data: { state: '\u001b[2J' } };
  assert.ok(!renderEvent('fleetlet.updated', event).includes('\u001b'));
});
