import { UsageError } from '../../../command.ts';

export function readRevision(word: string): number {
  if (/^[1-9]\d{0,14}$/.test(word)) return Number(word);
  throw new UsageError(`"${word}" is not the number of a revision`);
}
