import { type Static, Type } from 'typebox';
import { timeField } from './identity-fields.ts';
import { nameField, SYSTEM_FIELDS } from './resource-fields.ts';

export const FleetletParamsSchema = Type.Object({ fleetlet: nameField('The name of the fleetlet.') });

const FleetletCertificateSchema = Type.Object(
  {
    serial: Type.String({ description: 'In hex.' }),
    authority: Type.String({ format: 'uuid', description: 'Who issued it.' }),
    notBefore: timeField('From then on it is good.'),
    notAfter: timeField('From then on it lets nobody in. For a while it can still be renewed.'),
  },
  { title: 'FleetletCertificate', description: 'The newest one.' },
);

export const FleetletSchema = Type.Object(
  {
    name: nameField('Unique in the whole instance; after the first target that it came for.'),
    uid: SYSTEM_FIELDS.uid,
    workspace: nameField('The workspace that it enrolled into.'),
    state: Type.Enum(['Active', 'Revoked'], { description: 'Revoked is for ever.' }),
    builtIn: Type.Boolean({ description: 'The one inside the platform, which has no certificate.' }),
    targets: Type.Array(nameField('The name of a target.'), { description: 'What it may speak for.' }),
    certificate: Type.Optional(FleetletCertificateSchema),
    createTime: SYSTEM_FIELDS.createTime,
    updateTime: SYSTEM_FIELDS.updateTime,
    generation: SYSTEM_FIELDS.generation,
    observedGeneration: SYSTEM_FIELDS.observedGeneration,
    etag: SYSTEM_FIELDS.etag,
  },
  { title: 'Fleetlet' },
);

export const BindTargetSchema = Type.Object(
  { target: nameField('The name of the target, in the workspace of the fleetlet or below.') },
  { title: 'BindTarget' },
);

export type FleetletResource = Static<typeof FleetletSchema>;
