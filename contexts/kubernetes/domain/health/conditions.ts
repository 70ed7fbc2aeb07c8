import { listAt, numberAt, textAt } from '../json-value.ts';
import type { KubeObject } from '../kube-object.ts';
import { type ObjectHealth, progressing } from './object-health.ts';

export interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Also undefined if the condition was set for an earlier generation. */
export function conditionOf(object: KubeObject, type: string): Condition | undefined {
  const found = listAt(object, 'status', 'conditions').find((each) => textAt(each, 'type') === type);
  if (found === undefined) return undefined;
  const observed = numberAt(found, 'observedGeneration');
  if (observed !== undefined && observed < (object.metadata.generation ?? 0)) return undefined;
  return {
    status: textAt(found, 'status') ?? 'Unknown',
    reason: textAt(found, 'reason') ?? '',
    message: textAt(found, 'message') ?? '',
  };
}

/** The health to report until the controller has observed the current generation. */
export function notObserved(object: KubeObject): ObjectHealth | undefined {
  const observed = numberAt(object, 'status', 'observedGeneration');
  if (observed !== undefined && observed >= (object.metadata.generation ?? 0)) return undefined;
  return progressing('NotObserved', 'its controller has not observed it yet');
}
