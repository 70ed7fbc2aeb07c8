import type { Storage } from '../port.ts';
import type { Lease, Standing } from './decide.ts';
import { type Fence, fencedStorage } from './fenced-storage.ts';
import { LeaseError } from './lease-error.ts';
import { advanceLease } from './lease-store.ts';
import type { Term } from './term.ts';

/** `done`: its work returned; `lost`: another process leads; `silent`: no heartbeat could be written. */
export type EndOfTerm = 'done' | 'lost' | 'silent' | 'yielded';

export type TermFact =
  | { readonly kind: 'leading'; readonly role: string; readonly epoch: number }
  | { readonly kind: 'ended'; readonly role: string; readonly epoch: number; readonly why: EndOfTerm };

export interface PostsDeps {
  readonly storage: Storage;
  readonly holder: string;
  /** Wakes the callers that wait for a term. */
  readonly onFact: (fact: TermFact) => void;
}

interface Current {
  readonly term: Term;
  readonly over: AbortController;
  fence: Fence;
}

interface Post {
  standing: Standing;
  current: Current | undefined;
}

/** The roles that a process stands for, and its current term in each. */
export class Posts {
  readonly #deps: PostsDeps;
  readonly #posts = new Map<string, Post>();
  /** The last epoch in which this process led for the role. */
  readonly #formerEpochs = new Map<string, number>();

  constructor(deps: PostsDeps) {
    this.#deps = deps;
  }

  get roles(): readonly string[] {
    return [...this.#posts.keys()];
  }

  standings(): ReadonlyMap<string, Standing> {
    return new Map([...this.#posts].map(([role, { standing }]) => [role, standing]));
  }

  add(role: string): void {
    if (this.#posts.has(role)) throw new RangeError(`this process stands for ${role} already`);
    this.#posts.set(role, { standing: 'idle', current: undefined });
  }

  remove(role: string): void {
    this.#posts.delete(role);
  }

  term(role: string): Term | undefined {
    return this.#posts.get(role)?.current?.term;
  }

  /** A storage that writes in the current term, whichever that is when it writes. */
  fenced(role: string): Storage {
    return this.#fenced(() => {
      const current = this.#posts.get(role)?.current;
      if (current === undefined) throw notLeading(role);
      return current.fence;
    });
  }

  /** The lease, as it was before, was claimed with this epoch. False if the candidate is gone. */
  begin(role: string, { epoch, lease }: { readonly epoch: number; readonly lease: Lease | undefined }): boolean {
    const post = this.#posts.get(role);
    if (post?.standing !== 'idle') return false;
    const over = new AbortController();
    const term: Term = {
      role,
      epoch,
      continues: lease?.epoch === this.#formerEpochs.get(role),
      signal: over.signal,
      storage: this.#fenced(() => fenceOf(current)),
      advance: (stop) => this.#advance(current, stop),
    };
    const current: Current = { term, over, fence: { role, holder: this.#deps.holder, epoch } };
    post.standing = 'leading';
    post.current = current;
    this.#deps.onFact({ kind: 'leading', role, epoch });
    return true;
  }

  end(role: string, why: EndOfTerm): void {
    const post = this.#posts.get(role);
    const current = post?.current;
    if (post === undefined || current === undefined) return;
    this.#formerEpochs.set(role, current.fence.epoch);
    post.current = undefined;
    post.standing = 'ending';
    current.over.abort(new LeaseError('EPOCH_ENDED', `lead for ${role}`));
    this.#deps.onFact({ kind: 'ended', role, epoch: current.term.epoch, why });
  }

  endAll(why: EndOfTerm): void {
    for (const role of this.roles) this.end(role, why);
  }

  /** Ends the terms that other processes have taken. */
  check(leases: readonly Lease[]): void {
    const holders = new Map(leases.map(({ role, holder }) => [role, holder]));
    for (const role of this.roles) if (holders.get(role) !== this.#deps.holder) this.end(role, 'lost');
  }

  /** The work of a term has ended. */
  worked(role: string): void {
    this.end(role, 'done');
    const post = this.#posts.get(role);
    if (post !== undefined) post.standing = 'idle';
  }

  async #advance(current: Current, signal: AbortSignal): Promise<void> {
    const before = fenceOf(current);
    const epoch = await advanceLease(this.#deps.storage, before, signal);
    if (epoch !== undefined) {
      current.fence = { ...before, epoch };
      return;
    }
    this.#lost(before);
    throw new LeaseError('EPOCH_ENDED', `lead for ${before.role}`);
  }

  #fenced(fence: () => Fence): Storage {
    return fencedStorage({ storage: this.#deps.storage, fence, onEnded: (at) => this.#lost(at) });
  }

  #lost({ role, epoch }: Fence): void {
    if (this.#posts.get(role)?.current?.fence.epoch === epoch) this.end(role, 'lost');
  }
}

function fenceOf({ fence, over }: Current): Fence {
  if (over.signal.aborted) throw notLeading(fence.role);
  return fence;
}

function notLeading(role: string): LeaseError {
  return new LeaseError('NOT_LEADING', `write as leader for ${role}`);
}
