import { Type } from 'typebox';
import { nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const MAX_TARGETS = 100;
/** An RSA key of 8192 bits fits. */
const MAX_CSR_CHARS = 16_384;

const csrField = () =>
  Type.String({
    minLength: 1,
    maxLength: MAX_CSR_CHARS,
    description:
      'A signing request (PKCS #10) in PEM. The key is EC P-256 or P-384, Ed25519, or RSA of at least 2048 bits; whom it is for is not read from it.',
  });

export const EnrollSchema = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 256, description: 'A bootstrap token.' }),
    csr: csrField(),
    targets: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: nameField('Unique in the whole instance.'),
            type: nameField('Who delivers to it: `kubernetes`, `directory`, or a type that an addon brings.'),
          },
          { title: 'EnrollTarget' },
        ),
        { maxItems: MAX_TARGETS, description: 'What the fleetlet will speak for. None: it hosts addons.' },
      ),
    ),
  },
  { title: 'Enroll' },
);

export const RenewCertificateSchema = Type.Object({ csr: csrField() }, { title: 'RenewFleetletCertificate' });

const EndpointsSchema = Type.Object(
  {
    grpc: Type.Optional(Type.String({ description: '`host:port`, for gRPC with client certificates.' })),
    websocket: Type.Optional(Type.String({ description: 'A `wss:` address.' })),
  },
  { title: 'FleetletEndpoints', description: 'Where fleetlets connect to, as this caller reaches the platform.' },
);

export const EnrolledSchema = Type.Object(
  {
    fleetlet: SYSTEM_FIELDS.uid,
    name: nameField('What people call it.'),
    targets: Type.Array(
      Type.Object({ uid: SYSTEM_FIELDS.uid, name: nameField('The name of the target.') }, { title: 'EnrolledTarget' }),
      { description: 'What it may speak for.' },
    ),
    certificate: Type.Optional(Type.String({ description: 'In PEM. Absent in a dry run.' })),
    ca: Type.String({ description: 'The authorities whose fleetlets are of this platform, in PEM.' }),
    serverCa: Type.Optional(
      Type.String({
        description: 'The authority that vouches for the platform itself, in PEM, if it is of its own making.',
      }),
    ),
    endpoints: EndpointsSchema,
  },
  { title: 'Enrolled' },
);
