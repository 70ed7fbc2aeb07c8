/**
 * Which platform gave an order. A platform and the copies that were restored from it are incarnations of one instance, and
 * know the same deployments by the same uids.
 */
export interface OrderOrigin {
  readonly instance: string;
  readonly incarnation: string;
  /** How many restores are between the first incarnation and this one. */
  readonly restores: number;
}

/**
 * The reason to refuse an order whose platform is not the latest incarnation that the agent has obeyed. An order of an
 * earlier release names no origin, and neither do records of an earlier agent: both are compared by revision alone.
 */
export function whySuperseded(obeyed: OrderOrigin | undefined, asking: OrderOrigin | undefined): string | undefined {
  if (obeyed === undefined || asking === undefined || !isLater(obeyed, asking)) return undefined;
  return (
    `This target obeys incarnation ${obeyed.incarnation} of the platform, which was restored from a backup. ` +
    `Incarnation ${asking.incarnation} asks, an earlier one or another copy: stop the one that should not run.`
  );
}

/** Of two copies with equally many restores, the higher id counts, so that they do not take turns. */
export function isLater(one: OrderOrigin, other: OrderOrigin): boolean {
  if (one.restores !== other.restores) return one.restores > other.restores;
  return one.incarnation > other.incarnation;
}
