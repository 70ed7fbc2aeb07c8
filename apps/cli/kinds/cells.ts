import { renderTime } from '../output/render-time.ts';

/** `env=prod,tier=web`. */
export function labelsCell(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.join(',') || '-';
}

export function timeCell(time: string | undefined): string {
  return time === undefined ? '-' : renderTime(time);
}

/** `user:alice`, as flags accept it. */
export function subjectCell({ kind, id }: { readonly kind: string; readonly id: string }): string {
  return `${kind}:${id}`;
}
