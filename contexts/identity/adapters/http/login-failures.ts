/** Why a login in a browser failed, and how to resolve it. A closed list: the page shows no other text. */
export const LOGIN_FAILURES = {
  issuerNotFound: 'This platform does not know that issuer. Choose one of the issuers below.',
  issuerUnavailable: 'The issuer cannot be reached right now. Try again in a moment, or contact an administrator.',
  attemptExpired:
    'This login took too long, or was begun in another browser. Begin again, and allow cookies for this site.',
  refusedByIssuer: 'The issuer did not confirm the login. Begin again; if it keeps failing, ask an administrator.',
  subjectRefused:
    'The issuer knows you, but its claim mapping yields no usable name. Ask an administrator to check the mapping.',
  unknownAddress:
    'This platform is not configured for the address in your browser. Use one of its own addresses, or ask an administrator.',
} as const;

export type LoginFailure = keyof typeof LOGIN_FAILURES;

export const LOGIN_FAILURE_NAMES = Object.keys(LOGIN_FAILURES) as LoginFailure[];
