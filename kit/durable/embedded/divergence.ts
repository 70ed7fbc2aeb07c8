import { DurableError } from '../durable-error.ts';
import type { AskedStep, JournalEvent } from './journal-event.ts';

const SHOWN = 200;

/** The recorded answer must belong to the step that the code asks for now. */
export function checkAnswersTheQuestion(id: string, event: JournalEvent, asked: AskedStep | undefined): void {
  if (asked === undefined) throw recordedButNotAsked(id, event, 'nothing');
  const same = asked.kind === event.kind && asked.name === event.name && asked.input === event.input;
  if (!same) throw recordedButNotAsked(id, event, describe(asked.kind, asked.name, asked.input));
}

export function recordedButNotAsked(id: string, event: JournalEvent, now: string): DurableError {
  const recorded = describe(event.kind, event.name, event.input);
  return new DurableError(
    'REPLAY_DIVERGED',
    `step ${event.step} of workflow ${id}: recorded ${recorded}, but the code now asks for ${now}`,
    { details: { step: event.step, recorded, now } },
  );
}

function describe(kind: string, name: string, input: string | undefined): string {
  const shown = input === undefined ? '' : input.length > SHOWN ? `${input.slice(0, SHOWN)}…` : input;
  return `${kind} ${name}(${shown})`.replace('  ', ' ');
}
