import assert from 'node:assert/strict';
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import type { Asked, Conversation } from './conversation.ts';
import { CALLERS } from './place.ts';

/** The fields of an API server's audit log entry that are checked. */
interface AuditEvent {
  readonly auditID: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly impersonatedUser?: {
    readonly username: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestObject?: { readonly kind?: string; readonly data?: unknown };
}

export interface AuditTrailOptions {
  readonly file: string;
  /** The agent's user name. The cluster has other users, too. */
  readonly agent: string;
  /** A fragment of each case's path. */
  readonly mark: string;
}

const VERBS: Readonly<Record<string, readonly string[]>> = {
  GET: ['get', 'list'],
  HEAD: ['get', 'list', 'head'],
  POST: ['create', 'post'],
  PUT: ['update', 'put'],
  PATCH: ['patch'],
  DELETE: ['delete', 'deletecollection'],
};

/**
 * Reads what the agent requested from a real API server, and checks that each request is one that a caller made and was
 * allowed, exactly once.
 */
export class AuditTrail {
  readonly #options: AuditTrailOptions;
  readonly #asked = new Map<string, Asked>();
  readonly #seen = new Set<string>();
  /** By the audit id of the answer. */
  readonly #paths = new Map<string, string>();
  #read = 0;

  constructor(options: AuditTrailOptions) {
    this.#options = options;
  }

  add({ asked }: Conversation): void {
    for (const each of asked) this.#asked.set(each.path, each);
  }

  /** The cases that these answers belong to, once the log has them all. */
  async casesOf(heard: string): Promise<string[]> {
    const ids = [...heard.matchAll(/^audit-id: (\S+)\r$/gim)].map(([, id]) => id ?? '');
    // `check` throws on a violation here, so that waiting does not hide it.
    const isAllThere = (): boolean => ids.every((id) => this.#paths.has(id));
    for (this.check(); !isAllThere(); this.check()) await eventually('the audit log grows', () => this.#hasGrown());
    return ids.map((id) => this.#paths.get(id) ?? '');
  }

  /** Checks all entries since the previous call. */
  check(): void {
    for (const line of this.#newLines()) {
      const event = JSON.parse(line) as AuditEvent;
      if (event.user.username === this.#options.agent) this.#checkOne(event);
    }
  }

  #checkOne(event: AuditEvent): void {
    const { verb, requestURI: path, impersonatedUser: caller, auditID } = event;
    const what = `${verb} ${path} as ${JSON.stringify(caller)}`;
    const isOfCase = path.includes(this.#options.mark) || path.includes('smuggled');
    if (caller === undefined) return assert.ok(!isOfCase, `the agent itself asked for ${what}`);
    const asked = this.#asked.get(path);
    assert.ok(asked !== undefined && asked.arrives !== 'never', `the server did ${what}, which no caller was allowed`);
    assert.ok(!this.#seen.has(path), `the server did ${what} twice`);
    this.#seen.add(path);
    this.#paths.set(auditID, path);
    assert.ok((VERBS[asked.method] ?? ['', asked.method.toLowerCase()]).includes(verb), `${what} for ${asked.method}`);
    assert.equal(caller.username, 'fleetshift:caller', what);
    assert.deepEqual(caller.groups, [`fleetshift:role:${CALLERS[asked.as]}`, 'system:authenticated'], what);
    assert.deepEqual(caller.extra, { 'fleetshift.io/user': [`fleetshift:serviceAccount:staff/${asked.as}`] }, what);
    checkObject(event, asked, what);
  }

  #hasGrown(): boolean {
    const { file } = this.#options;
    return existsSync(file) && statSync(file).size > this.#read;
  }

  /** Complete lines only: the last one may still be being written. */
  #newLines(): readonly string[] {
    const { file } = this.#options;
    if (!existsSync(file)) return [];
    const open = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(fstatSync(open).size - this.#read);
      readSync(open, bytes, 0, bytes.length, this.#read);
      const end = bytes.lastIndexOf('\n') + 1;
      this.#read += end;
      return bytes.toString('utf8', 0, end).split('\n').slice(0, -1);
    } finally {
      closeSync(open);
    }
  }
}

/** The server stored exactly what was sent, and nothing for any other request. */
function checkObject({ verb, requestObject, responseStatus }: AuditEvent, { body }: Asked, what: string): void {
  if (requestObject?.kind === 'ConfigMap') {
    const sent = JSON.parse(body) as { readonly data: unknown };
    assert.deepEqual(requestObject.data, sent.data, what);
  } else {
    const hasStored = ['create', 'update', 'patch'].includes(verb) && (responseStatus?.code ?? 0) < 300;
    assert.ok(!hasStored, `${what} stored ${JSON.stringify(requestObject)}`);
  }
}
