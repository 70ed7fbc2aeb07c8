import type { Io } from '../command.ts';

const ESCAPE = '\u001b';
const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Colour = keyof typeof CODES;

/** Colours a text, or returns it unchanged. */
export type Paint = (colour: Colour, text: string) => string;

export const plain: Paint = (_, text) => text;

/** Colours are used only on terminals, and not when NO_COLOR is set. */
export function paintFor({ outIsTerminal = false, environment }: Pick<Io, 'outIsTerminal' | 'environment'>): Paint {
  const isWanted = outIsTerminal && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  return isWanted ? (colour, text) => `${ESCAPE}[${CODES[colour]}m${text}${ESCAPE}[0m` : plain;
}

const COLOUR = new RegExp(`(${ESCAPE}\\[\\d+m)`);

/** The visible width of a coloured text. */
export function widthOf(painted: string): number {
  return painted.split(COLOUR).reduce((sum, part) => sum + (part.startsWith(ESCAPE) ? 0 : [...part].length), 0);
}

/** The first characters of the text, with their colours. */
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
