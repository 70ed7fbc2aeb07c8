import { TemplateTrouble } from './template-trouble.ts';

export type Token =
  | { readonly kind: 'name' | 'text' | 'symbol'; readonly value: string; readonly at: number; readonly end: number }
  | { readonly kind: 'number'; readonly value: number; readonly at: number; readonly end: number }
  | { readonly kind: 'end'; readonly at: number; readonly end: number };

const SPACE = /\s*/y;
const NAME = /[A-Za-z_]\w*/y;
const NUMBER = /\d+(?:\.\d+)?/y;
const TEXT = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/sy;
const SYMBOL = /==|!=|<=|>=|&&|\|\||[-+*/%<>!?:.,()[\]}]/y;

/** The next token at or after `from`; kind `end` at the end of the text. */
export function tokenAt(source: string, from: number): Token {
  const at = from + (matchAt(SPACE, source, from) ?? '').length;
  if (at >= source.length) return { kind: 'end', at, end: at };
  const name = matchAt(NAME, source, at);
  if (name !== undefined) return { kind: 'name', value: name, at, end: at + name.length };
  const digits = matchAt(NUMBER, source, at);
  if (digits !== undefined) return { kind: 'number', value: Number(digits), at, end: at + digits.length };
  const text = matchAt(TEXT, source, at);
  if (text !== undefined) return { kind: 'text', value: unquoted(text, at), at, end: at + text.length };
  const symbol = matchAt(SYMBOL, source, at);
  if (symbol !== undefined) return { kind: 'symbol', value: symbol, at, end: at + symbol.length };
  const quoted = source[at] === "'" || source[at] === '"';
  throw new TemplateTrouble(at, quoted ? 'this quoted text is not closed' : 'this character has no meaning here');
}

function matchAt(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

function unquoted(quoted: string, at: number): string {
  return quoted.slice(1, -1).replaceAll(/\\(.)/gsu, (_, character: string, offset: number) => {
    if (character === 'n') return '\n';
    if (character === 't') return '\t';
    if ('\\\'"'.includes(character)) return character;
    throw new TemplateTrouble(at + 1 + offset, 'only \\\\, \\\', \\", \\n and \\t can follow a backslash');
  });
}
