import { Type } from 'typebox';
import { nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const MAX_TARGETS = 100;
/** Large enough for an RSA key of 8192 bits. */
const MAX_CSR_CHARS = 16_384;

const csrField = () =>
  Type.String({
    minLength: 1,
    maxLength: MAX_CSR_CHARS,
    description:
      'A certificate signing request (PKCS #10) in PEM. The key is EC P-256 or P-384, Ed25519, or RSA of at least 2048 bits. The subject of the request is ignored.',
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
            type: nameField(
              'The type of agent that delivers to it: `kubernetes`, `directory`, or a type that an addon provides.',
            ),
          },
          { title: 'EnrollTarget' },
        ),
        {
          maxItems: MAX_TARGETS,
          description: 'The targets that the fleetlet serves. Empty: the fleetlet only hosts addons.',
        },
      ),
    ),
  },
  { title: 'Enroll' },
);

export const RenewCertificateSchema = Type.Object({ csr: csrField() }, { title: 'RenewFleetletCertificate' });

const ENDPOINT_FIELDS = {
  grpc: Type.Optional(Type.String({ description: '`host:port`, for gRPC with client certificates.' })),
  websocket: Type.Optional(Type.String({ description: 'A `wss:` address.' })),
};

const EndpointsSchema = Type.Object(
  {
    ...ENDPOINT_FIELDS,
    replicas: Type.Optional(
      Type.Array(Type.Object(ENDPOINT_FIELDS, { title: 'ReplicaEndpoints' }), {
        description: 'The endpoints of the other replicas. Absent if there are none, or if all have one name.',
      }),
    ),
  },
  {
    title: 'FleetletEndpoints',
    description: 'The endpoints that fleetlets connect to, as this caller reaches the platform.',
  },
);

export const EnrolledSchema = Type.Object(
  {
    fleetlet: SYSTEM_FIELDS.uid,
    name: nameField('The name of the fleetlet.'),
    targets: Type.Array(
      Type.Object({ uid: SYSTEM_FIELDS.uid, name: nameField('The name of the target.') }, { title: 'EnrolledTarget' }),
      { description: 'The targets that the fleetlet may serve.' },
    ),
    certificate: Type.Optional(Type.String({ description: 'In PEM. Absent in a dry run.' })),
    ca: Type.String({
      description: "The authorities that sign the certificates of this platform's fleetlets, in PEM.",
    }),
    serverCa: Type.Optional(
      Type.String({
        description:
          "The authority of the platform's own server certificate, in PEM, if the platform issued it itself.",
      }),
    ),
    endpoints: EndpointsSchema,
  },
  { title: 'Enrolled' },
);
