/** A time as Kubernetes writes it: in UTC, to the second. */
export function kubeTime(now: number): string {
  return `${new Date(now).toISOString().slice(0, -'.000Z'.length)}Z`;
}
