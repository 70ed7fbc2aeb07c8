import { movedProperties } from '#contexts/targets/adapters';
import type { Storage } from '#kit/storage';
import type { Logger } from '#kit/telemetry';

const NAMED = 20;

/** Once per start: users must not believe that a setting still works when it is no longer read. */
export async function warnOfMovedProperties(
  { storage, log }: { readonly storage: Storage; readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  for (const { property, message, names } of await storage.read((reader) => movedProperties(reader, signal), signal)) {
    const subject = names.slice(0, NAMED).map((name) => `targets/${name}`);
    const reason = `the property ${property} ${message}, and removes the property`;
    log.warn({ subject, count: names.length, setting: property, reason }, 'stored property of targets ignored');
  }
}
