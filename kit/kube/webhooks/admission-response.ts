import { assertNever, type FieldFault } from '#kit/std';
import type { KubeObject } from '../client/kube-object.ts';
import { ADMISSION_API, type AdmissionRequest } from './admission-request.ts';
import { diffJson, type PatchOperation } from './json-patch.ts';
import type { Denied, MutatingVerdict, VerdictExtras } from './verdict.ts';

/** The response body for a request. */
export function admissionReview<T extends KubeObject>(
  request: AdmissionRequest<T>,
  verdict: MutatingVerdict<T>,
): object {
  const response = { uid: request.uid, ...decision(request, verdict), ...extras(verdict) };
  return { apiVersion: ADMISSION_API, kind: 'AdmissionReview', response };
}

function decision<T extends KubeObject>(request: AdmissionRequest<T>, verdict: MutatingVerdict<T>): object {
  switch (verdict.kind) {
    case 'allow':
      return { allowed: true };
    case 'deny':
      return { allowed: false, status: statusOf(verdict) };
    case 'patch':
      return patched(verdict.patch);
    case 'change':
      // As serialized: what JSON omits is not a change.
      return patched(diffJson(request.object, JSON.parse(JSON.stringify(verdict.object))));
    default:
      return assertNever(verdict, 'verdict');
  }
}

function patched(operations: readonly PatchOperation[]): object {
  if (operations.length === 0) return { allowed: true };
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}

function statusOf({ message, code, reason, faults }: Denied): object {
  const causes = faults.map((fault) => ({
    reason: 'FieldValueInvalid',
    message: fault.message,
    field: fieldOf(fault),
  }));
  return { status: 'Failure', message, reason, code, ...(causes.length === 0 ? {} : { details: { causes } }) };
}

/** `/spec/ports/0/name` is `spec.ports[0].name` in Kubernetes. */
function fieldOf({ path }: FieldFault): string {
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((field, part) => (/^\d+$/.test(part) ? `${field}[${part}]` : `${field}${field && '.'}${part}`), '');
}

function extras({ warnings = [], auditAnnotations = {} }: VerdictExtras): VerdictExtras {
  return {
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(Object.keys(auditAnnotations).length === 0 ? {} : { auditAnnotations }),
  };
}
