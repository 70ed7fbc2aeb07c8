import type { Io } from '../command.ts';

const ESCAPE = '\u001b';
const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Colour = keyof typeof CODES;

/** Gives a text its colour, or leaves it as it is. */
export type Paint = (colour: Colour, text: string) => string;

export const plain: Paint = (_, text) => text;

/** Colours are for terminals, and for people who want them: NO_COLOR says that they do not. */
export function paintFor({ outIsTerminal = false, environment }: Pick<Io, 'outIsTerminal' | 'environment'>): Paint {
  const isWanted = outIsTerminal && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  return isWanted ? (colour, text) => `${ESCAPE}[${CODES[colour]}m${text}${ESCAPE}[0m` : plain;
}

const COLOUR = new RegExp(`(${ESCAPE}\\[\\d+m)`);

/** How much of a line a painted text takes. */
export function widthOf(painted: string): number {
  return painted.split(COLOUR).reduce((sum, part) => sum + (part.startsWith(ESCAPE) ? 0 : [...part].length), 0);
}

/** The first so many characters of it, with the colours that it had. */
export function cropped(painted: string, width: number): string {
  if (widthOf(painted) <= width) return painted;
  let [taken, left] = ['', width - 1];
  for (const part of painted.split(COLOUR)) {
    if (part.startsWith(ESCAPE)) taken += part;
    else {
      const some = [...part].slice(0, left);
      left -= some.length;
      taken += some.join('');
    }
  }
  return `${taken}…`;
}
