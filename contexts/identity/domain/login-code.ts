import type { RandomBytes } from '#kit/std';

/** Without I, L, O and U, which are easily misread or misheard. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUPS = 5;
const GROUP_LENGTH = 5;

/** 125 bits, for people to type: `K7Q2M-9XW4T-0B6ZC-PR8VN-H3JDY`. */
export function newLoginCode(random: RandomBytes): string {
  const letters = Array.from(random(GROUPS * GROUP_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return letters.match(new RegExp(`.{${GROUP_LENGTH}}`, 'g'))?.join('-') ?? letters;
}

/** The form that is hashed, independent of case, dashes and lookalike letters. */
export function normalLoginCode(typed: string): string {
  return typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
}
