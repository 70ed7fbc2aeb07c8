/** Why a login in a browser came to nothing, and what to do about it. A closed list: the page shows nothing else. */
export const LOGIN_FAILURES = {
  issuerNotFound: 'This platform does not know that issuer. Choose one of those below.',
  issuerUnavailable: 'The issuer cannot be reached right now. Try again in a moment, or tell an administrator.',
  attemptExpired:
    'This login took too long, or was begun in another browser. Begin again, and allow cookies for this site.',
  refusedByIssuer: 'The issuer did not confirm the login. Begin again; if it stays so, ask an administrator.',
  subjectRefused:
    'The issuer knows you, but its settings here do not say who you are. Ask an administrator to look at its claim mapping.',
  unknownAddress:
    'This platform is not set up to be reached by the address in your browser. Use its own address, or ask an administrator.',
} as const;

export type LoginFailure = keyof typeof LOGIN_FAILURES;

export const LOGIN_FAILURE_NAMES = Object.keys(LOGIN_FAILURES) as LoginFailure[];
