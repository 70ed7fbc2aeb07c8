import { uuidv7 } from '#kit/std';
import { type Reader, type Storage, sql, type Transaction } from '#kit/storage';

/** What happens to targets whose agents have seen later revisions than the restored platform has. */
const TARGETS_AHEAD = ['hold', 'goBack'] as const;
export type TargetsAhead = (typeof TARGETS_AHEAD)[number];

/**
 * A platform and each of its restored copies are one instance and different incarnations of it: several of them may run at
 * once, and only one of them may have the fleet.
 */
export interface Incarnation {
  /** The same for all incarnations. */
  readonly instance: string;
  /** A UUIDv7: later ones are greater. That of the first incarnation is the instance's own. */
  readonly incarnation: string;
  /** Those that it descends from, the first one first. */
  readonly earlier: readonly string[];
  /** In Unix milliseconds; `undefined` for the first incarnation. */
  readonly restoredAt: number | undefined;
  /** `undefined` for the first incarnation, and while a restored one is held. */
  readonly accepted: { readonly time: number; readonly targetsAhead: TargetsAhead } | undefined;
}

const INSTANCE = 'instance/';
const RESTORE = 'restore/';
const ACCEPTED: Readonly<Record<TargetsAhead, string>> = { hold: 'accepted-hold/', goBack: 'accepted-go-back/' };

/** The row that makes a restored database another incarnation. It is put in place together with the database. */
export function restoreMark(now: number, newId: () => string = uuidv7) {
  return { table: 'instance_marks', columns: ['name', 'time'], rows: [[`${RESTORE}${newId()}`, now]] };
}

/** Gives the instance its id at the first start. If two processes start at once, the lower id counts, for both. */
export async function openIncarnation(
  storage: Storage,
  { now, newId = uuidv7 }: { readonly now: number; readonly newId?: () => string },
  signal: AbortSignal,
): Promise<Incarnation> {
  const found = await storage.read((reader) => readIncarnation(reader), signal);
  if (found !== undefined) return found;
  await storage.commit(
    [sql`INSERT INTO instance_marks (name, time) VALUES (${`${INSTANCE}${newId()}`}, ${now})`],
    signal,
  );
  const made = await storage.read((reader) => readIncarnation(reader), signal);
  if (made === undefined) throw new TypeError('the id of the instance is missing right after it was written');
  return made;
}

/** `undefined` before the first start. */
export async function readIncarnation(reader: Reader): Promise<Incarnation | undefined> {
  const rows = await reader.all<{ name: string; time: number }>(
    sql`SELECT name, time FROM instance_marks ORDER BY name`,
  );
  const marks = new Map(rows.map(({ name, time }) => [name, time]));
  const idsOf = (prefix: string): string[] =>
    rows.filter(({ name }) => name.startsWith(prefix)).map(({ name }) => name.slice(prefix.length));
  const [instance] = idsOf(INSTANCE);
  if (instance === undefined) return undefined;
  const restores = idsOf(RESTORE);
  // A restore on a machine whose clock is behind has a lower id than the one before. Until it is accepted, it counts.
  const open = restores.filter((id) => TARGETS_AHEAD.every((choice) => !marks.has(ACCEPTED[choice] + id)));
  const incarnation = open.at(-1) ?? restores.at(-1) ?? instance;
  const earlier = [instance, ...restores].filter((id) => id !== incarnation);
  const choice = TARGETS_AHEAD.find((each) => marks.has(ACCEPTED[each] + incarnation));
  const accepted = choice && { time: marks.get(ACCEPTED[choice] + incarnation) ?? 0, targetsAhead: choice };
  return { instance, incarnation, earlier, restoredAt: marks.get(RESTORE + incarnation), accepted };
}

export function isHeld({ restoredAt, accepted }: Incarnation): boolean {
  return restoredAt !== undefined && accepted === undefined;
}

/** With it, all restores before it that were not accepted: a held platform may have been backed up. */
export async function acceptIncarnation(
  tx: Transaction,
  { targetsAhead, now }: { readonly targetsAhead: TargetsAhead; readonly now: number },
): Promise<void> {
  for (let current = await readIncarnation(tx); current !== undefined && isHeld(current); ) {
    const name = ACCEPTED[targetsAhead] + current.incarnation;
    await tx.run(sql`INSERT INTO instance_marks (name, time) VALUES (${name}, ${now})`);
    current = await readIncarnation(tx);
  }
}
