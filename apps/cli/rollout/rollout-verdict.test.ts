import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT } from '../command.ts';
import { aDeployment, aStep, type DeploymentParts, TIME } from '../testing/a-deployment.ts';
import { rolloutVerdict } from './rollout-verdict.ts';

const GATE = { kind: 'gate', gate: 'canary/after/0/1', since: TIME, message: '', unblock: '' } as const;
const TARGETS = { kind: 'targets', since: TIME, message: '', unblock: '' } as const;
const atGate = (type: string) => aStep('canary', { gate: { id: GATE.gate, type, since: TIME } });

const rows: { why: string; parts: DeploymentParts; generation?: number; kind: string; code?: number }[] = [
  { why: 'it runs', parts: { rollout: {} }, kind: 'goesOn' },
  {
    why: 'what was asked for is not planned yet, though the last is over',
    parts: { rollout: { phase: 'Finished', outcome: 'Succeeded' }, its: { reconciling: false } },
    generation: 4,
    kind: 'goesOn',
  },
  {
    why: 'it succeeded',
    parts: { rollout: { phase: 'Finished', outcome: 'Succeeded' }, its: { reconciling: false } },
    kind: 'ended',
    code: EXIT.ok,
  },
  {
    why: 'it was aborted',
    parts: { rollout: { phase: 'Finished', outcome: 'Aborted' }, its: { reconciling: false } },
    kind: 'ended',
    code: EXIT.failure,
  },
  {
    why: 'superseded, and the newer one is under way',
    parts: { rollout: { phase: 'Finished', outcome: 'Superseded' } },
    kind: 'goesOn',
  },
  { why: 'nothing had to be done', parts: { its: { reconciling: false } }, kind: 'ended', code: EXIT.ok },
  {
    why: 'all is done but for those whose removal waits for a person',
    parts: {
      rollout: { phase: 'Finished', outcome: 'Succeeded' },
      placement: { held: [{ id: 'a', why: 'MaxRemoval', message: '' }] },
      its: { reconciling: false },
    },
    kind: 'stopped',
    code: EXIT.waiting,
  },
  {
    why: 'a move waits for earlier ones, which takes no person',
    parts: {
      rollout: { phase: 'Finished', outcome: 'Succeeded' },
      placement: { held: [{ id: 'a', why: 'MovesUnfinished', message: '' }] },
      its: { reconciling: false },
    },
    kind: 'ended',
    code: EXIT.ok,
  },
  {
    why: 'it paused for failures',
    parts: { rollout: { phase: 'Paused', reason: 'FailuresExceeded' } },
    kind: 'stopped',
    code: EXIT.failure,
  },
  {
    why: 'what paused for failures gives way to what was asked for since',
    parts: { rollout: { phase: 'Paused', reason: 'FailuresExceeded' } },
    generation: 4,
    kind: 'goesOn',
  },
  {
    why: 'somebody paused it, and what was asked for since waits as well',
    parts: { rollout: { phase: 'Paused', reason: 'PausedByUser' } },
    generation: 4,
    kind: 'stopped',
    code: EXIT.waiting,
  },
  {
    why: 'all that it waits for is an approval',
    parts: { rollout: { steps: [atGate('approval')], waits: [GATE] } },
    kind: 'stopped',
    code: EXIT.waiting,
  },
  {
    why: 'the gate opens by itself',
    parts: { rollout: { steps: [atGate('wait')], waits: [GATE] } },
    kind: 'goesOn',
  },
  {
    why: 'beside the approval there are targets under way',
    parts: { rollout: { steps: [atGate('approval')], waits: [GATE, TARGETS] } },
    kind: 'goesOn',
  },
  {
    why: 'the approval is for the rollout before',
    parts: { rollout: { steps: [atGate('approval')], waits: [GATE] } },
    generation: 4,
    kind: 'goesOn',
  },
];

for (const { why, parts, generation, kind, code } of rows) {
  test(`${kind}: ${why}`, () => {
    const verdict = rolloutVerdict(aDeployment(parts), generation);
    assert.equal(verdict.kind, kind);
    if (code !== undefined) assert.equal(verdict.kind !== 'goesOn' && verdict.code, code);
  });
}
