import type { Io } from '../command.ts';
import { cropped } from './paint.ts';

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CLEAR_BELOW = '\u001b[J';

/** A block of lines at the end of a terminal that each draw replaces. */
export class LiveScreen {
  readonly #io: Pick<Io, 'out' | 'size'>;
  #height = 0;
  #isLive = false;

  constructor(io: Pick<Io, 'out' | 'size'>) {
    this.#io = io;
  }

  /** Lines that do not fit are cut from the bottom, because a terminal cannot return to lines that scrolled away. */
  draw(lines: readonly string[]): void {
    const { columns, rows } = this.#io.size?.() ?? { columns: 80, rows: 24 };
    const fitting = lines.length < rows ? lines : [...lines.slice(0, rows - 2), `… ${lines.length - rows + 2} more`];
    const text = fitting.map((line) => `${cropped(line, columns - 1)}\n`).join('');
    this.#io.out(`${this.#isLive ? '' : HIDE_CURSOR}${this.#back()}${CLEAR_BELOW}${text}`);
    this.#height = fitting.length;
    this.#isLive = true;
  }

  /** Keeps the last drawing; further output appears below it. */
  end(): void {
    if (this.#isLive) this.#io.out(SHOW_CURSOR);
    this.#isLive = false;
    this.#height = 0;
  }

  #back(): string {
    return this.#height === 0 ? '' : `\u001b[${this.#height}A\r`;
  }
}
