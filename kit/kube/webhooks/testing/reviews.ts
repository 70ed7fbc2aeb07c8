/** A review as the API server sends it. */
export function admissionReviewOf(request: object = {}): object {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'review-1',
      kind: { group: 'example.io', version: 'v1', kind: 'Widget' },
      resource: { group: 'example.io', version: 'v1', resource: 'widgets' },
      requestKind: { group: 'example.io', version: 'v1', kind: 'Widget' },
      name: 'lamp',
      namespace: 'one',
      operation: 'CREATE',
      userInfo: { username: 'mary', groups: ['painters'], extra: { a: ['b'] } },
      object: widget(),
      oldObject: null,
      dryRun: false,
      options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions' },
      ...request,
    },
  };
}

export function conversionReviewOf(objects: readonly unknown[], desiredAPIVersion = 'example.io/v2'): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: 'review-2', desiredAPIVersion, objects },
  };
}

export interface Widget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid?: string };
  readonly spec: { readonly color?: string; readonly parts?: readonly string[] };
}

export function widget(spec: Widget['spec'] = { color: 'red' }): Widget {
  return {
    apiVersion: 'example.io/v1',
    kind: 'Widget',
    metadata: { name: 'lamp', namespace: 'one', uid: 'uid-1' },
    spec,
  };
}
