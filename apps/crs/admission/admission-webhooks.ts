import { faultBody, faultText, type InvalidField } from '#contexts/cluster-resource-sets';
import type { KubeObject } from '#kit/kube';
import {
  type AdmissionRequest,
  allow,
  change,
  deny,
  mutatingWebhook,
  type Verdict,
  validatingWebhook,
  type Webhook,
} from '#kit/kube/webhooks';
import {
  type BindingDocument,
  bindingFaults,
  defaultedSet,
  type ResourceSetDocument,
  setFaults,
} from './admission-rules.ts';

const GROUP = 'addons.cluster.x-k8s.io';

/** Same paths as Cluster API, so that its webhook configurations work. The chart registers these. */
const ADMISSION_PATHS = {
  defaultSet: '/mutate-addons-cluster-x-k8s-io-v1beta2-clusterresourceset',
  validateSet: '/validate-addons-cluster-x-k8s-io-v1beta2-clusterresourceset',
  validateBinding: '/validate-addons-cluster-x-k8s-io-v1beta2-clusterresourcesetbinding',
} as const;

/** Cluster API's rules, in its wording. */
export function admissionWebhooks(): readonly Webhook[] {
  return [
    mutatingWebhook<ResourceSetDocument>({
      path: ADMISSION_PATHS.defaultSet,
      mutate: ({ object }) => (object === undefined ? allow() : change(defaultedSet(object))),
    }),
    validatingWebhook<ResourceSetDocument>({
      path: ADMISSION_PATHS.validateSet,
      validate: (request) => verdict('ClusterResourceSet', request, setFaults),
    }),
    validatingWebhook<BindingDocument>({
      path: ADMISSION_PATHS.validateBinding,
      validate: (request) => verdict('ClusterResourceSetBinding', request, bindingFaults),
    }),
  ];
}

function verdict<T extends KubeObject>(
  kind: string,
  { operation, object, oldObject }: AdmissionRequest<T>,
  rules: (now: T, old?: T) => readonly InvalidField[],
): Verdict {
  if (object === undefined || operation === 'DELETE') return allow();
  const faults = rules(object, oldObject);
  if (faults.length === 0) return allow();
  const name = object.metadata.name ?? '';
  return deny(`${kind}.${GROUP} ${JSON.stringify(name)} is invalid: ${faultText(faults)}`, {
    faults: faults.map((fault) => ({ path: `/${fault.field.replaceAll('.', '/')}`, message: faultBody(fault) })),
  });
}
