import type { KubeObject } from '../../client/kube-object.ts';
import { mutatingWebhook, validatingWebhook } from '../admission-webhooks.ts';
import { conversionWebhook } from '../conversion-webhook.ts';
import { allow, change, deny } from '../verdict.ts';
import type { Webhook } from '../webhook.ts';

/** Two versions of a kind: `color` in the first is `paint` in the second. */
export interface Widget extends KubeObject {
  readonly spec: { readonly color?: string; readonly paint?: string; readonly size?: number };
}

/** Where the API server finds the webhooks, and which authority it trusts for them. */
export interface WebhookPlace {
  readonly group: string;
  readonly port: number;
  /** PEM. */
  readonly ca: string;
}

export const widgetWebhooks: readonly Webhook[] = [
  validatingWebhook<Widget>({
    path: '/validate',
    validate: ({ object, user }) => {
      const color = object?.spec.color;
      if (color === 'boom') throw new TypeError('boom');
      if (color === 'red') return deny('no red here', { faults: [{ path: '/spec/color', message: 'is red' }] });
      const auditAnnotations = { painter: user.username };
      return color === 'pink' ? allow({ warnings: ['pink fades'], auditAnnotations }) : allow({ auditAnnotations });
    },
  }),
  mutatingWebhook<Widget>({
    path: '/default',
    mutate: ({ object }) => (object ? change({ ...object, spec: { size: 1, ...object.spec } }) : allow()),
  }),
  conversionWebhook({
    path: '/convert',
    convert: (object, apiVersion) => {
      const { color, paint, ...rest } = (object as Widget).spec;
      const spec = apiVersion.endsWith('/v1') ? { ...rest, color: paint } : { ...rest, paint: color };
      return { ...object, apiVersion, spec };
    },
  }),
];

export function widgetCrd(place: WebhookPlace): KubeObject {
  const version = (name: string, field: string): object => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { [field]: { type: 'string' }, size: { type: 'integer' } } },
        },
      },
    },
  });
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${place.group}` },
    spec: {
      group: place.group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [version('v1', 'color'), version('v2', 'paint')],
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: clientConfig(place, '/convert') },
      },
    },
  };
  return crd;
}

export function webhookConfiguration(kind: 'Validating' | 'Mutating', place: WebhookPlace): KubeObject {
  const webhook = {
    name: `${kind.toLowerCase()}.${place.group}`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    timeoutSeconds: 5,
    rules: [
      { apiGroups: [place.group], apiVersions: ['v1'], resources: ['widgets'], operations: ['CREATE', 'UPDATE'] },
    ],
    clientConfig: clientConfig(place, kind === 'Validating' ? '/validate' : '/default'),
  };
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: place.group },
    webhooks: [webhook],
  };
  return configuration;
}

function clientConfig({ port, ca }: WebhookPlace, path: string): object {
  return { url: `https://127.0.0.1:${port}${path}`, caBundle: Buffer.from(ca).toString('base64') };
}
