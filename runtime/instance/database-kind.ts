import { BadValue, type Kind } from '#kit/config';
import { Secret } from '#kit/std';

/** The database that holds the data. */
export type DatabaseChoice =
  | { readonly engine: 'sqlite' }
  | {
      readonly engine: 'postgres';
      readonly url: Secret<string>;
      /** The address without credentials. */
      readonly shown: string;
    };

const PROTOCOLS = ['postgres:', 'postgresql:'];

/** A URL may contain a password, so the given value is never repeated. */
export const databaseKind: Kind<DatabaseChoice> = {
  placeholder: 'sqlite|URL',
  expects: 'sqlite, or a URL such as postgres://user:password@host:5432/database',
  secret: true,
  parse(text) {
    if (text === 'sqlite') return { engine: 'sqlite' };
    const url = URL.parse(text);
    if (url === null || !PROTOCOLS.includes(url.protocol)) throw new BadValue(`is not ${this.expects}`);
    const user = url.username === '' ? '' : `${url.username}@`;
    return { engine: 'postgres', url: new Secret(text), shown: `${url.protocol}//${user}${url.host}${url.pathname}` };
  },
  print: (choice) => (choice.engine === 'sqlite' ? 'sqlite' : choice.shown),
};
