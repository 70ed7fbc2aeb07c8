import { mkdirSync, writeFileSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A request that was answered. */
export interface AuditedRequest {
  readonly verb: string;
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource?: string; readonly namespace?: string; readonly name?: string };
  readonly responseStatus?: { readonly code?: number };
}

/** The user agent of the bench's own requests; these, and an API server's requests to itself, are not counted. */
export const BENCH_AGENT = 'crs-bench';
const NOT_COUNTED = [BENCH_AGENT, 'kube-apiserver/', 'kube-probe/'];

/** The requests to an API server since a given position, with user agent and object. The server's metrics have only totals. */
export class AuditLog {
  readonly flags: readonly string[];
  readonly #file: string;

  /** Create it before starting the server, which writes to this folder. */
  constructor(folder: string, name: string) {
    mkdirSync(folder, { recursive: true });
    const policy = join(folder, 'audit-policy.json');
    const rules = [{ level: 'Metadata', omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'] }];
    writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
    this.#file = join(folder, `${name}.log`);
    this.flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${this.#file}`, '--audit-log-maxsize=2000'];
  }

  /** The current end of the log. */
  async position(): Promise<number> {
    return (await stat(this.#file)).size;
  }

  /** The managers' requests since then. Watches are left out, because they never end. */
  async since(position: number): Promise<AuditedRequest[]> {
    const file = await open(this.#file);
    try {
      const length = (await file.stat()).size - position;
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, position);
      const requests = buffer.toString().split('\n').filter(Boolean).flatMap(parsed);
      return requests.filter(
        ({ verb, userAgent = '' }) => verb !== 'watch' && !NOT_COUNTED.some((agent) => userAgent.startsWith(agent)),
      );
    } finally {
      await file.close();
    }
  }
}

/** The last line may be incomplete. */
function parsed(line: string): AuditedRequest[] {
  try {
    return [JSON.parse(line) as AuditedRequest];
  } catch {
    return [];
  }
}
