import type { StoredRecords } from '../application/ports.ts';
import { KubernetesError } from '../domain/kubernetes-error.ts';
import type { FoundRecord } from './chunked-secrets.ts';

/** A corrupt record does not keep the others from being read. */
export async function storedRecords<T>(
  found: readonly FoundRecord[],
  read: (record: FoundRecord) => Promise<T>,
): Promise<StoredRecords<T>> {
  const records: T[] = [];
  const corrupt: { deployment: string; error: KubernetesError }[] = [];
  for (const record of found) {
    try {
      records.push(await read(record));
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      corrupt.push({ deployment: record.id, error });
    }
  }
  return { records, corrupt };
}
