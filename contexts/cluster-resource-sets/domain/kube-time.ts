/** A time in the format of Kubernetes: UTC, to the second. */
export function kubeTime(now: number): string {
  return `${new Date(now).toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length)}Z`;
}
