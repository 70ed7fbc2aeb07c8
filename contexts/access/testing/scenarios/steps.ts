import type { Step, Wanted } from '../access-api.ts';

export const METRICS = {
  resourceType: 'target',
  attributesSchema: {
    type: 'object',
    properties: { tenant: { type: 'string', maxLength: 8 } },
    required: ['tenant'],
    additionalProperties: false,
  },
  roles: [{ role: 'admin', attributes: { tenant: 'all' } }],
};

/** `user:alice` */
export function subject(text: string): { kind: string; id: string } {
  const [kind = '', id = ''] = text.split(':');
  return { kind, id };
}

/** `web` for `workspaces/web` and for `targets/web-1`. */
function scopeOf(on: string): string {
  return (on.split('/')[1] ?? '').replace('-1', '');
}

interface Granting {
  readonly as?: string;
  readonly on: string;
  readonly to: string;
  readonly body: object;
  readonly want?: Wanted;
}

export function granting({ as = 'admin', on, to, body, want }: Granting): Step {
  const granted = { status: 201, events: [`grant.created ${scopeOf(on)}`] };
  return { as, call: `POST /v1/${on}/grants`, body: { subject: subject(to), ...body }, want: want ?? granted };
}

/** `given('user:alice admin workspaces/web')`: grants made by the admin, named after the role and the id. */
export function given(...grants: readonly string[]): Step[] {
  return grants.map((text) => {
    const [to = '', role = '', on = ''] = text.split(' ');
    return granting({ on, to, body: { name: `${role}-${to.split(':')[1]}`, role } });
  });
}

export function defined(name: string, its: object = {}): Step {
  const want = { status: 201, events: ['permissionSchema.created root'] };
  return { as: 'admin', call: `PUT /v1/permission-schemas/${name}`, body: { ...METRICS, ...its }, want };
}

export function asked(as: string, verb: string, body: object, want: Wanted): Step {
  return { as, call: `POST /v1/access:${verb}`, body, want };
}

/** `may('alice', 'workspaces.read', 'workspaces/web', true)` */
export function may(...[as, permission, resource, allowed]: [string, string, string, boolean]): Step {
  return asked(as, 'check', { permission, resource }, { status: 200, part: { allowed } });
}

export function refused(status: number, code: string, faults?: readonly string[]): Wanted {
  return { status, code, ...(faults === undefined ? {} : { faults }) };
}

export const HIDDEN = refused(404, 'noSuch');
export const DENIED = refused(403, 'permissionDenied');
