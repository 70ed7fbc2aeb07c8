import type { ApiClient } from '../client/api-client.ts';
import { EXIT, type ExitCode, type Io } from '../command.ts';
import { exitCodeOf, explain, worstOf } from '../exit-code-of.ts';
import { applyDocument } from './apply-document.ts';
import { applyOrder, needsOf } from './apply-order.ts';
import type { ApplyDocument } from './document.ts';

export interface ApplyingAll {
  readonly api: ApiClient;
  readonly documents: readonly ApplyDocument[];
  readonly dryRun: boolean;
  readonly io: Io;
}

/** Applies the documents in order. A failure is reported, skips the documents that depend on it, and stops no others. */
export async function applyDocuments(all: ApplyingAll, signal: AbortSignal): Promise<ExitCode> {
  const { api, documents, dryRun, io } = all;
  const made = new Set<string>();
  const failed = new Set<string>();
  const codes: ExitCode[] = [EXIT.ok];
  for (const document of applyOrder(documents)) {
    const { key, where } = document;
    const missing = needsOf(document).find((needed) => failed.has(needed));
    if (missing !== undefined) {
      failed.add(key);
      io.err(`${key} (${where}): skipped, because ${missing} failed\n`);
      continue;
    }
    // A dry run creates nothing, so the platform cannot check documents that depend on earlier ones.
    if (dryRun && needsOf(document).some((needed) => made.has(needed))) {
      made.add(key);
      io.out(`${key} created (dry run; not checked, because it depends on a resource that does not exist yet)\n`);
      continue;
    }
    try {
      const outcome = await applyDocument({ api, document, dryRun }, signal);
      if (outcome === 'created') made.add(key);
      io.out(`${key} ${outcome}${dryRun ? ' (dry run)' : ''}\n`);
    } catch (error) {
      if (signal.aborted) throw error;
      failed.add(key);
      io.err(`${key} (${where}): ${explain(error)}\n`);
      codes.push(exitCodeOf(error));
    }
  }
  return worstOf(codes);
}
