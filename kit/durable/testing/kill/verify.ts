import assert from 'node:assert/strict';
import type { HistoryEntry, Payload } from '#kit/durable';
import type { Effect } from './effects.ts';
import type { WorkflowOutcome } from './executor-protocol.ts';
import type { KillResult, KillWork } from './kill-workflows.ts';

/** An outcome without times and without values that differ between any two executions. */
export function normalised(outcomes: readonly WorkflowOutcome[]): Payload {
  return outcomes.map(({ id, status, result, history }) => ({
    id,
    status,
    result: withoutTokens(result),
    history: ordered(history).map(({ kind, step, name, input, result: answer, error }) => ({
      kind,
      step,
      name,
      input: withoutTokens(input ?? null),
      result: withoutTokens(answer ?? null),
      error: error?.code ?? null,
    })),
  }));
}

/** No step occurs twice, and every input holds the token that the preceding step returned. */
export function assertConsistent(outcomes: readonly WorkflowOutcome[]): void {
  for (const { id, history } of outcomes) {
    const steps = history.filter(({ step }) => step > 0).map(({ step }) => step);
    assert.equal(new Set(steps).size, steps.length, `${id} has a step twice`);
    let before = 'none';
    for (const { after, token } of works(history)) {
      if (after !== 'none') assert.equal(after, before, `${id} went on from a result that is not the recorded one`);
      before = token;
    }
  }
}

/**
 * Every recorded result is the last real effect under its key: nothing was recorded that did not happen, and nothing
 * was repeated after it had been recorded.
 */
export function assertRecordedOnce(outcomes: readonly WorkflowOutcome[], effects: readonly Effect[]): void {
  const last = new Map(effects.map(({ key, token }) => [key, token]));
  for (const { id, history } of outcomes) {
    for (const { token } of works(history)) {
      const key = token.split(':')[1] ?? '';
      assert.equal(token, last.get(key), `${id} has recorded another result than what happened last`);
    }
  }
}

function works(history: readonly HistoryEntry[]): { readonly after: string; readonly token: string }[] {
  return ordered(history).flatMap(({ kind, input, result }) =>
    kind === 'activity' && result !== undefined
      ? [{ after: (input as KillWork).after, token: (result as KillResult).token }]
      : [],
  );
}

/**
 * Concurrent steps end in any order, so they are sorted by the order in which they were requested. Signals keep their
 * order.
 */
function ordered(history: readonly HistoryEntry[]): HistoryEntry[] {
  return history.toSorted((a, b) => a.step - b.step);
}

function withoutTokens(value: Payload): Payload {
  return JSON.parse(JSON.stringify(value).replaceAll(/"(token|draw):[^"]*"/g, '"$1"')) as Payload;
}
