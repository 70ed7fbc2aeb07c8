import { type Static, Type } from 'typebox';
import { durationField, timeField } from './identity-fields.ts';
import { SYSTEM_FIELDS } from './resource-fields.ts';

const CertificateAuthoritySchema = Type.Object(
  {
    uid: SYSTEM_FIELDS.uid,
    name: Type.String({ description: 'Its common name.' }),
    state: Type.Enum(['Next', 'Issuing', 'Trusted', 'Retired'], {
      description:
        'Next: published, but not issuing yet. Issuing: issues all new certificates. Trusted: no longer issues; its certificates are still valid. Retired: its certificates are no longer accepted.',
    }),
    certificate: Type.String({ description: 'In PEM.' }),
    fingerprint: Type.String({ description: 'SHA-256 of the certificate, in hex.' }),
    createTime: SYSTEM_FIELDS.createTime,
    issueTime: timeField('When it begins, or began, to issue.'),
    retireTime: Type.Optional(timeField('When its certificates are no longer accepted, once it has a successor.')),
    notAfter: timeField('When its own certificate expires.'),
  },
  { title: 'CertificateAuthority' },
);

export const CertificateAuthoritiesSchema = Type.Object(
  {
    authorities: Type.Array(CertificateAuthoritySchema, { description: 'The authorities, oldest first.' }),
    bundle: Type.String({ description: 'The certificates of all currently trusted authorities, in PEM.' }),
  },
  { title: 'CertificateAuthorities' },
);

export const RotateAuthoritySchema = Type.Object(
  {
    lead: Type.Optional(durationField('How long the new authority is published before it issues; default 10m.')),
    overlap: Type.Optional(
      durationField(
        'How long the old authority stays trusted after that; by default until the last of its certificates can no longer be renewed. With 0s every fleetlet has to enrol again.',
      ),
    ),
  },
  { title: 'RotateCertificateAuthority' },
);

export type CertificateAuthorityResource = Static<typeof CertificateAuthoritySchema>;
