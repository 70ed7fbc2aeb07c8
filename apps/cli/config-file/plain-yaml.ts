/** A key, and its value when it is on the same line. */
const ENTRY = /^([A-Za-z]+):(?: (.+))?$/;
/** A text that no YAML schema takes for anything else: it begins with a letter and has no character with a meaning. */
const WORD = /^[A-Za-z][A-Za-z0-9_./+=~@-]*(?::[A-Za-z0-9_./+=~@-]+)*\/?$/;
/** These words are values of other types in some YAML schema. */
const NO_TEXT = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
const INTEGER = /^[1-9][0-9]{0,8}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** The text cannot be read here. */
const OTHER = Symbol('other YAML');

/**
 * Reads the YAML that this program writes for its configuration: maps, lists of maps, words, and blocks of text. Undefined for
 * all other YAML, such as with comments or quotes, which the library reads.
 *
 * DECISION: hand-written. Nearly every command reads the configuration, and loading the library takes longer than its request.
 * Whatever this accepts, it reads as the library does; a property test compares them.
 */
export function readPlainYaml(text: string): unknown {
  const lines = linesOf(text);
  if (lines === undefined) return undefined;
  const reader = new Reader(lines);
  const map = reader.map(0);
  return map === OTHER || !reader.isAtEnd ? undefined : map;
}

function linesOf(text: string): readonly Line[] | undefined {
  if (!/^[\x20-\x7e\n]+\n$/.test(text)) return undefined;
  const lines = text.slice(0, -1).split('\n');
  return lines.map((line) => {
    const trimmed = line.trimStart();
    return { indent: line.length - trimmed.length, text: trimmed };
  });
}

class Reader {
  readonly #lines: readonly Line[];
  #next = 0;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  get isAtEnd(): boolean {
    return this.#next === this.#lines.length;
  }

  /** The entries at this indentation. `first` is the rest of a line that began with a dash. */
  map(indent: number, first?: string): Record<string, unknown> | typeof OTHER {
    const map = new Map<string, unknown>();
    for (let text = first ?? this.#textAt(indent); text !== undefined; text = this.#textAt(indent)) {
      this.#next += 1;
      const [, key, inline] = ENTRY.exec(text) ?? [];
      if (key === undefined || map.has(key)) return OTHER;
      const value = inline === undefined ? this.#nested(indent) : this.#inline(inline, indent);
      if (value === OTHER) return OTHER;
      map.set(key, value);
    }
    return map.size === 0 ? OTHER : Object.fromEntries(map);
  }

  #textAt(indent: number): string | undefined {
    const line = this.#lines[this.#next];
    return line?.indent === indent ? line.text : undefined;
  }

  #inline(text: string, indent: number): unknown {
    if (text === '[]') return [];
    if (text === '|') return this.#block(indent + 2);
    if (INTEGER.test(text)) return Number(text);
    return TIME.test(text) || (WORD.test(text) && !NO_TEXT.test(text)) ? text : OTHER;
  }

  #nested(above: number): unknown {
    const indent = above + 2;
    return this.#textAt(indent)?.startsWith('- ') ? this.#list(indent) : this.map(indent);
  }

  #list(indent: number): unknown {
    const items: unknown[] = [];
    for (let text = this.#textAt(indent); text?.startsWith('- '); text = this.#textAt(indent)) {
      const item = this.map(indent + 2, text.slice(2));
      if (item === OTHER) return OTHER;
      items.push(item);
    }
    return items;
  }

  /** A literal block, with one line end after its last line. */
  #block(indent: number): unknown {
    const texts: string[] = [];
    for (let text = this.#textAt(indent); text !== undefined; text = this.#textAt(indent)) {
      texts.push(text);
      this.#next += 1;
    }
    const after = this.#lines[this.#next];
    const isOver = after === undefined || (after.indent < indent && after.text !== '');
    return texts.length > 0 && isOver && !texts.includes('') ? texts.map((text) => `${text}\n`).join('') : OTHER;
  }
}
