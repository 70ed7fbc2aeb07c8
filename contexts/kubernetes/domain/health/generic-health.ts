import { isCustom } from '../apply-waves.ts';
import { at, isJsonObject, listAt, numberAt } from '../json-value.ts';
import { conditionOf, notObserved } from './conditions.ts';
import { AVAILABLE, applied, degraded, type ObjectHealth, type ObjectView, progressing } from './object-health.ts';

const BAD = ['Stalled', 'Degraded', 'Failed'];
/** The first of these that an object has counts, so the most specific come first. */
const GOOD = ['Ready', 'Available', 'Healthy', 'Established', 'Programmed', 'Complete', 'Succeeded', 'Accepted'];
const BUSY = ['Reconciling', 'Progressing'];

/** For objects without a rule of their own: uses conditions, which nearly all controllers write in the same way. */
export function genericHealth({ object }: ObjectView): ObjectHealth {
  const hasStatus = isJsonObject(at(object, 'status'));
  if (!hasStatus && !isCustom(object)) return AVAILABLE;
  if (!hasStatus) return applied('NoStatus', 'it has no status');
  const early = numberAt(object, 'status', 'observedGeneration') === undefined ? undefined : notObserved(object);
  if (early !== undefined) return early;
  for (const type of BAD) {
    const found = conditionOf(object, type);
    if (found?.status === 'True') return degraded(found.reason || type, found.message);
  }
  for (const type of GOOD) {
    const found = conditionOf(object, type);
    if (found?.status === 'True') return AVAILABLE;
    if (found !== undefined) return progressing(found.reason || `Not${type}`, found.message);
  }
  return withoutVerdict(object);
}

function withoutVerdict(object: ObjectView['object']): ObjectHealth {
  for (const type of BUSY) {
    const found = conditionOf(object, type);
    if (found?.status === 'True') return progressing(found.reason || type, found.message);
  }
  if (listAt(object, 'status', 'conditions').length > 0 && isStale(object)) {
    return progressing('NotObserved', 'its controller has not observed it yet');
  }
  return isCustom(object) ? applied('NoVerdict', 'its status has no known condition') : AVAILABLE;
}

/** All conditions are of an earlier generation. */
function isStale(object: ObjectView['object']): boolean {
  const generation = object.metadata.generation ?? 0;
  return listAt(object, 'status', 'conditions').every((each) => {
    const observed = numberAt(each, 'observedGeneration');
    return observed !== undefined && observed < generation;
  });
}
