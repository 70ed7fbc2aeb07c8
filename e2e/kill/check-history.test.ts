import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WorkspaceResource } from '#protocol/api';
import type { StreamedEvent } from '../follow-events.ts';
import type { Attempt, Outcome } from './attempt.ts';
import { checkHistory, type Observed } from './check-history.ts';

/** A history that tests may modify. */
interface History {
  events: StreamedEvent[];
  workspaces: WorkspaceResource[];
  attempts: Attempt[];
}

describe('the check after a crash', () => {
  it('finds nothing wrong with what is right, and the event of each attempt that has one', () => {
    const { attempts, ...observed } = history();
    const told = checkHistory(observed, attempts);
    assert.deepEqual(
      attempts.map((attempt) => told.get(attempt)?.position),
      [1, 3, 4, 5, 6, undefined, undefined],
    );
  });

  const wrong: { why: string; spoil: (history: History) => void; says: RegExp }[] = [
    {
      why: 'an acknowledged create that is gone',
      spoil: (it) => {
        forget(it, 5);
        store(it, 'c', undefined);
      },
      says: /create of c .* was acknowledged and is lost/,
    },
    {
      why: 'an acknowledged change that is gone',
      spoil: (it) => {
        forget(it, 3);
        store(it, 'a', view('a', 1, '0'));
      },
      says: /patch of a .* was acknowledged and is lost/,
    },
    {
      why: 'an acknowledged delete that is undone',
      spoil: (it) => {
        forget(it, 6);
        store(it, 'b', view('b', 1, '2'));
      },
      says: /delete of b .* was acknowledged and is lost/,
    },
    {
      why: 'a change without its event',
      spoil: (it) => store(it, 'a', view('a', 3, '5')),
      says: /the events tell another tree/,
    },
    {
      why: 'an event without its change',
      spoil: (it) => store(it, 'a', view('a', 1, '0')),
      says: /the events tell another tree/,
    },
    {
      why: 'an event that is told twice',
      spoil: (it) => it.events.push({ ...find(it, 6), position: 7 }),
      says: /the event e6 was told twice/,
    },
    {
      why: 'a change that two events tell',
      spoil: (it) => it.events.push(event(7, 'updated', view('a', 2, '1'))),
      says: /a change of a before event 7 is missing/,
    },
    {
      why: 'a change that is counted and not told',
      spoil: (it) => it.events.push(event(7, 'updated', view('a', 4, '5'))),
      says: /a change of a before event 7 is missing/,
    },
    {
      why: 'an attempt that has two events',
      spoil: (it) => {
        it.events.push(event(7, 'updated', view('a', 3, '1')));
        store(it, 'a', view('a', 3, '1'));
      },
      says: /patch of a .* was told twice/,
    },
    {
      why: 'what was refused and happened',
      spoil: (it) => {
        it.events.push(event(7, 'updated', view('a', 3, '5')));
        store(it, 'a', view('a', 3, '5'));
      },
      says: /patch of a .* came to nothing, and has an event/,
    },
    {
      why: 'what nobody asked for',
      spoil: (it) => {
        it.events.push(event(7, 'created', view('x', 1, '99')));
        store(it, 'x', view('x', 1, '99'));
      },
      says: /nobody asked for event 7/,
    },
    {
      why: 'an answer that said something else',
      spoil: (it) => {
        at(it.attempts, 0).outcome = { kind: 'done', made: { ...view('a', 1, '0'), etag: 'another' } };
      },
      says: /create of a .* was acknowledged otherwise than it is told/,
    },
    {
      why: 'positions that go back',
      spoil: (it) => it.events.reverse(),
      says: /event 5 came after event 6/,
    },
    {
      why: 'the events of a client in another order than its requests',
      spoil: (it) => it.attempts.reverse(),
      says: /is told at 5, before 6/,
    },
  ];
  for (const { why, spoil, says } of wrong) {
    it(`finds ${why}`, () => {
      const spoilt = history();
      spoil(spoilt);
      const observed: Observed = spoilt;
      assert.throws(() => checkHistory(observed, spoilt.attempts), says);
    });
  }
});

/** `a` was created and changed; `b` was created by an attempt without an answer, and deleted; two attempts had no effect. */
function history(): History {
  return {
    events: [
      event(1, 'created', view('a', 1, '0')),
      event(3, 'updated', view('a', 2, '1')),
      event(4, 'created', view('b', 1, '2')),
      event(5, 'created', view('c', 1, '3')),
      event(6, 'deleted', view('b', 1, '2')),
    ],
    workspaces: [view('root', 1, ''), view('a', 2, '1'), view('c', 1, '3')],
    attempts: [
      create('0', 'a', { kind: 'done', made: view('a', 1, '0') }),
      patch('1', 'a', { kind: 'done', made: view('a', 2, '1') }),
      create('2', 'b', { kind: 'unknown' }),
      create('3', 'c', { kind: 'done', made: view('c', 1, '3') }),
      remove('4', 'b', { kind: 'done', made: undefined }),
      patch('5', 'a', { kind: 'nothing' }),
      create('6', 'd', { kind: 'unknown' }),
    ],
  };
}

function view(name: string, generation: number, attempt: string): WorkspaceResource {
  const times = { createTime: '2026-01-01T00:00:00.000Z', updateTime: '2026-01-01T00:00:00.000Z' };
  const labels = { attempt };
  const etag = `${generation}-${name}`;
  return {
    name,
    uid: `uid-${name}`,
    kind: 'folder',
    labels,
    ...times,
    generation,
    observedGeneration: generation,
    etag,
  };
}

function event(position: number, what: string, workspace: WorkspaceResource): StreamedEvent {
  const { name } = workspace;
  const type = `workspace.${what}`;
  const subject = `workspaces/${name}`;
  return { position, resumeId: 'r', type, id: `e${position}`, workspace: name, subject, data: { ...workspace } };
}

function create(id: string, name: string, outcome: Outcome): Attempt {
  const body = { name, parent: 'root', labels: { attempt: id } };
  return { id, writer: 'ann', write: { kind: 'create', name, body, key: id, expects: 201 }, outcome };
}

function patch(id: string, name: string, outcome: Outcome): Attempt {
  return {
    id,
    writer: 'ann',
    write: { kind: 'patch', name, body: { labels: { attempt: id } }, expects: 200 },
    outcome,
  };
}

function remove(id: string, name: string, outcome: Outcome): Attempt {
  return { id, writer: 'ann', write: { kind: 'delete', name, uid: `uid-${name}`, expects: 204 }, outcome };
}

function forget(it: History, position: number): void {
  it.events = it.events.filter((told) => told.position !== position);
}

function find(it: History, position: number): StreamedEvent {
  return at(
    it.events,
    it.events.findIndex((told) => told.position === position),
  );
}

function store(it: History, name: string, workspace: WorkspaceResource | undefined): void {
  it.workspaces = it.workspaces.filter((stored) => stored.name !== name);
  if (workspace !== undefined) it.workspaces.push(workspace);
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  assert.ok(item !== undefined, `there is no item ${index}`);
  return item;
}
