import { mkdirSync, writeFileSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** One request that was answered. */
export interface AuditedRequest {
  readonly verb: string;
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource?: string; readonly namespace?: string; readonly name?: string };
  readonly responseStatus?: { readonly code?: number };
}

/** Whose requests are nobody's business: those of the bench, and what an API server asks itself. */
export const BENCH_AGENT = 'crs-bench';
const NOT_COUNTED = [BENCH_AGENT, 'kube-apiserver/', 'kube-probe/'];

/**
 * What an API server was asked, and by whom, from a moment on. Its own metrics would say how often, but not by whom, nor of
 * which object.
 */
export class AuditLog {
  readonly flags: readonly string[];
  readonly #file: string;

  /** Before the server is started, which writes to this folder. */
  constructor(folder: string, name: string) {
    mkdirSync(folder, { recursive: true });
    const policy = join(folder, 'audit-policy.json');
    const rules = [{ level: 'Metadata', omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'] }];
    writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
    this.#file = join(folder, `${name}.log`);
    this.flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${this.#file}`, '--audit-log-maxsize=2000'];
  }

  /** Where it ends now. */
  async position(): Promise<number> {
    return (await stat(this.#file)).size;
  }

  /** What managers asked since then. Watches go on and on, so that they are not counted. */
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

/** The last line may be half written. */
function parsed(line: string): AuditedRequest[] {
  try {
    return [JSON.parse(line) as AuditedRequest];
  } catch {
    return [];
  }
}
