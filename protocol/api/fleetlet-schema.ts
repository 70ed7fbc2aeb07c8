import { type Static, Type } from 'typebox';
import { timeField } from './identity-fields.ts';
import { nameField, SYSTEM_FIELDS } from './resource-fields.ts';

export const FleetletParamsSchema = Type.Object({ fleetlet: nameField('The name of the fleetlet.') });

const FleetletCertificateSchema = Type.Object(
  {
    serial: Type.String({ description: 'In hex.' }),
    authority: Type.String({ format: 'uuid', description: 'The uid of the authority that issued it.' }),
    notBefore: timeField('When the certificate becomes valid.'),
    notAfter: timeField('When the certificate expires. It can still be renewed for a while after that.'),
  },
  { title: 'FleetletCertificate', description: 'The newest certificate.' },
);

export const FleetletSchema = Type.Object(
  {
    name: nameField('Unique in the whole instance; derived from the first target that it enrolled.'),
    uid: SYSTEM_FIELDS.uid,
    workspace: nameField('The workspace that it enrolled into.'),
    state: Type.Enum(['Active', 'Revoked'], { description: 'Revocation is permanent.' }),
    builtIn: Type.Boolean({ description: 'Whether it is the fleetlet inside the platform, which has no certificate.' }),
    targets: Type.Array(nameField('The name of a target.'), { description: 'The targets that it may serve.' }),
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
