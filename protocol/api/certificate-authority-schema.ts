import { type Static, Type } from 'typebox';
import { durationField, timeField } from './identity-fields.ts';
import { SYSTEM_FIELDS } from './resource-fields.ts';

const CertificateAuthoritySchema = Type.Object(
  {
    uid: SYSTEM_FIELDS.uid,
    name: Type.String({ description: 'Its common name.' }),
    state: Type.Enum(['Next', 'Issuing', 'Trusted', 'Retired'], {
      description:
        'Next: made known, and issues nothing yet. Issuing: the one that does. Trusted: what it has issued is still good. Retired: nothing of it is.',
    }),
    certificate: Type.String({ description: 'In PEM.' }),
    fingerprint: Type.String({ description: 'SHA-256 of the certificate, in hex.' }),
    createTime: SYSTEM_FIELDS.createTime,
    issueTime: timeField('When it begins to issue, or began.'),
    retireTime: Type.Optional(timeField('When nothing of it is good any more, once it has a successor.')),
    notAfter: timeField('The end of its certificate.'),
  },
  { title: 'CertificateAuthority' },
);

export const CertificateAuthoritiesSchema = Type.Object(
  {
    authorities: Type.Array(CertificateAuthoritySchema, { description: 'The oldest first.' }),
    bundle: Type.String({ description: 'The certificates of all that count now, in PEM.' }),
  },
  { title: 'CertificateAuthorities' },
);

export const RotateAuthoritySchema = Type.Object(
  {
    lead: Type.Optional(durationField('How long the new one is only made known before it issues; 10m unless told.')),
    overlap: Type.Optional(
      durationField(
        'How long after that the old one is still trusted; unless told, until the last of its certificates cannot be renewed any more. With 0s every fleetlet has to enrol anew.',
      ),
    ),
  },
  { title: 'RotateCertificateAuthority' },
);

export type CertificateAuthorityResource = Static<typeof CertificateAuthoritySchema>;
