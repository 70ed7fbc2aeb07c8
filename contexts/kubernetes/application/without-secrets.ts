import type { FleetError, ValueMask } from '#kit/std';
import { KubernetesError } from '../domain/kubernetes-error.ts';

/**
 * A failing server may quote the request, as a refusing one does, and errors are logged and reported. So errors thrown
 * by `work` are masked. Our own errors quote no values and callers depend on their codes, so they pass unchanged.
 */
export async function withoutSecrets<T>(maskOf: () => ValueMask, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof KubernetesError ? error : maskedError(error, maskOf());
  }
}

/** If an error quotes a secret, only its masked message, name and code are kept: any other part may quote it too. */
function maskedError(error: unknown, mask: ValueMask): unknown {
  const words = wordsOf(error);
  if (!(error instanceof Error) || mask(words) === words) return error;
  const { name, code } = error as Partial<FleetError>;
  return Object.assign(new Error(mask(error.message)), { name, code });
}

/** Every text of the error that a log would contain. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { details, faults } = error as Partial<FleetError>;
  return `${error.message} ${JSON.stringify([details, faults])} ${wordsOf(error.cause)}`;
}
