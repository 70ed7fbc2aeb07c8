import type { FleetError, ValueMask } from '#kit/std';
import { KubernetesError } from '../domain/kubernetes-error.ts';

/**
 * A server that fails may quote what it was sent, as one that refuses does; and what fails is logged and told. So what the work
 * throws has no secret in it. Errors of our own quote nothing, and others decide by them.
 */
export async function withoutSecrets<T>(maskOf: () => ValueMask, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof KubernetesError ? error : maskedError(error, maskOf());
  }
}

/** Of one that quotes a secret nothing else is kept: it may stand in any part of it. */
function maskedError(error: unknown, mask: ValueMask): unknown {
  const words = wordsOf(error);
  if (!(error instanceof Error) || mask(words) === words) return error;
  const { name, code } = error as Partial<FleetError>;
  return Object.assign(new Error(mask(error.message)), { name, code });
}

/** All that a log would write down of it. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { details, faults } = error as Partial<FleetError>;
  return `${error.message} ${JSON.stringify([details, faults])} ${wordsOf(error.cause)}`;
}
