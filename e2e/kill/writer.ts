import { assertNever } from '#kit/std';
import type { WorkspaceResource } from '#protocol/api';
import type { Platform } from '#testing/platform-process';
import type { SeededRandom } from '#testing/seeded';
import { type Attempt, send, type Write } from './attempt.ts';

export interface WriterDeps {
  readonly name: string;
  readonly random: SeededRandom;
  /** The workspaces at the start. The writer changes only those whose names begin with its own, and the shared one. */
  readonly workspaces: readonly WorkspaceResource[];
  /** A workspace that every writer changes. */
  readonly shared: string;
  /** Every attempt is added here before it is sent. */
  readonly attempts: Attempt[];
  readonly onAnswer: () => void;
}

const ACTIONS = ['create', 'patch', 'patch-stale', 'patch-shared', 'delete'] as const;
type Action = (typeof ACTIONS)[number];
const WEIGHTS: Readonly<Record<Action, number>> = {
  create: 5,
  patch: 4,
  'patch-stale': 1,
  'patch-shared': 2,
  delete: 3,
};
const WEIGHTED = ACTIONS.flatMap((action) => Array<Action>(WEIGHTS[action]).fill(action));

/** Creates, changes and deletes workspaces one by one until the platform is gone. */
export class Writer {
  readonly #deps: WriterDeps;
  readonly #own: Map<string, WorkspaceResource>;
  readonly #deleted: string[] = [];

  constructor(deps: WriterDeps) {
    this.#deps = deps;
    const own = deps.workspaces.filter(({ name }) => name.startsWith(`${deps.name}-`));
    this.#own = new Map(own.map((workspace) => [workspace.name, workspace]));
  }

  async run(platform: Platform): Promise<void> {
    const { name: writer, attempts, onAnswer } = this.#deps;
    for (;;) {
      const id = String(attempts.length);
      const attempt: Attempt = { id, writer, write: this.#next(id), outcome: { kind: 'unknown' } };
      attempts.push(attempt);
      if (!(await send(platform, attempt))) return;
      this.#learn(attempt);
      onAnswer();
    }
  }

  #next(id: string): Write {
    const { name: writer, random, shared } = this.#deps;
    const own = [...this.#own.values()];
    const action = own.length === 0 ? 'create' : random.pick(WEIGHTED);
    if (action === 'create') return this.#create(id, own);
    const body = { labels: { attempt: id, [writer]: id } };
    const { name, uid, etag } = random.pick(own);
    const guard = random.next() < 0.5 ? { ifMatch: etag } : {};
    switch (action) {
      case 'patch':
        return { kind: 'patch', name, body, ...guard, expects: 200 };
      case 'patch-stale':
        return { kind: 'patch', name, body, ifMatch: `0${etag}`, expects: 412 };
      case 'patch-shared':
        return { kind: 'patch', name: shared, body, expects: 200 };
      case 'delete':
        return { kind: 'delete', name, uid, ...guard, expects: own.some(({ parent }) => parent === name) ? 409 : 204 };
      default:
        return assertNever(action, 'action');
    }
  }

  /** In the root or one of its own workspaces; under a new name, or one that was deleted. */
  #create(id: string, own: readonly WorkspaceResource[]): Write {
    const { name: writer, random } = this.#deps;
    const again = random.next() < 0.3 ? this.#deleted.pop() : undefined;
    const name = again ?? `${writer}-${id}`;
    const parents = own.filter(({ parent }) => parent === 'root').map((workspace) => workspace.name);
    const body = { name, parent: random.pick(['root', 'root', ...parents]), labels: { attempt: id } };
    return { kind: 'create', name, body, key: `${writer}:${id}`, expects: 201 };
  }

  #learn({ write, outcome }: Attempt): void {
    if (outcome.kind !== 'done' || write.name === this.#deps.shared) return;
    if (outcome.made !== undefined) {
      this.#own.set(write.name, outcome.made);
      return;
    }
    this.#own.delete(write.name);
    this.#deleted.push(write.name);
  }
}
