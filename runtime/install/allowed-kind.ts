import { BadValue, type Kind } from '#kit/config';
import type { AllowedKind } from './agent-install.ts';

const RESOURCE = /^(\*|[a-z][-a-z0-9]*)(?:\.([a-z0-9][-a-z0-9.]*))?$/;

/** `deployments.apps`, `configmaps`, `*.example.com`: as in `kubectl auth can-i`, because RBAC uses these names. */
export function allowedKind(): Kind<AllowedKind> {
  return {
    placeholder: 'RESOURCE[.GROUP]',
    expects: 'a resource and its group, such as deployments.apps, configmaps or *.example.com',
    parse(given) {
      const [, resource, group = ''] = RESOURCE.exec(given) ?? [];
      if (resource === undefined || given === '*') throw new BadValue(`is not ${this.expects}`);
      return { resource, group };
    },
    print: ({ resource, group }) => (group === '' ? resource : `${resource}.${group}`),
  };
}
