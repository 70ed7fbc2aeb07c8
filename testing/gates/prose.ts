export const PROSE_KINDS = ['comments', 'strings', 'markdown'] as const;
export type ProseKind = (typeof PROSE_KINDS)[number];

/** The texts of a source file that people read. */
export interface Prose {
  readonly comments: readonly string[];
  /** String literals of three words or more: log messages, errors, help, descriptions. */
  readonly strings: readonly string[];
}

export interface ProseCount {
  readonly words: number;
  /** Words used in place of naming the actor. */
  readonly vague: number;
  /** He, him, his. */
  readonly pronouns: number;
  /** Sentences that open with a bare What, Who, That or Those. */
  readonly openings: number;
}

/** A `/` after one of these begins a regular expression; after anything else it divides. */
const BEFORE_PATTERN = /(?:[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else))\s*$/;
const THREE_WORDS = /\w\S*\s+\S*\w\S*\s+\S*\w/;

/** A scanner, not a parser: it recognizes only comments, strings and regular expressions of TypeScript. */
export function proseOf(source: string): Prose {
  const [comments, strings]: [string[], string[]] = [[], []];
  // Consecutive line comments are one text.
  let lastLine = -2;
  let at = 0;
  let line = 0;
  const take = (end: number): string => {
    const text = source.slice(at, end);
    line += text.split('\n').length - 1;
    at = end;
    return text;
  };
  while (at < source.length) {
    const two = source.slice(at, at + 2);
    const one = two[0];
    if (two === '//') {
      const text = take(endOf(source, '\n', at)).slice(2);
      if (line === lastLine + 1) comments.push(`${comments.pop()}${text}`);
      else comments.push(text);
      lastLine = line;
    } else if (two === '/*') {
      const text = take(endOf(source, '*/', at + 2) + 2);
      comments.push(text.slice(2, -2).replaceAll(/^\s*\* ?|^\*/gm, ''));
    } else if (one === "'" || one === '"' || one === '`') {
      const text = take(endOfString(source, at + 1, one)).slice(1, -1);
      if (THREE_WORDS.test(text)) strings.push(text);
    } else if (one === '/' && BEFORE_PATTERN.test(source.slice(Math.max(0, at - 20), at))) {
      take(endOfPattern(source, at + 1));
    } else {
      take(at + 1);
    }
  }
  return { comments, strings };
}

/** Paragraphs of Markdown, without quoted code and without the marks at their beginnings. */
export function markdownProse(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, 'x');
  return prose.split(/\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.)\s?)|(?<=\|)/).map((each) => each.replace(/^[\s|*#\-\d.]+/, ''));
}

const VAGUE = /\b(?:whoever|whomever|(?:some|no|any|every)body(?:'s)?|anew|for ever|unless told)\b/gi;
const PRONOUNS = /\b(?:he|him|his|himself)\b/gi;
const VERBS =
  'is|are|was|were|has|have|had|would|will|can|cannot|could|may|might|must|does|do|did|makes|means|takes|gives|keeps|comes|goes|says';
const SENTENCE = String.raw`(?:^\s*|(?<=[.!?:;]\s))`;
const OPENINGS = new RegExp(
  `${SENTENCE}(?:(?:What|Who) (?![^.]*\\?)[a-z']+|(?:That|Those) (?:${VERBS}|who|which|what|it|we|they|there|one|others)\\b)`,
  'g',
);

export function countProse(texts: readonly string[]): ProseCount {
  const total = { words: 0, vague: 0, pronouns: 0, openings: 0 };
  for (const text of texts) {
    const plain = text.replaceAll(/\s+/g, ' ').trim();
    total.words += plain.match(/[A-Za-z']+/g)?.length ?? 0;
    total.vague += plain.match(VAGUE)?.length ?? 0;
    total.pronouns += plain.match(PRONOUNS)?.length ?? 0;
    total.openings += plain.match(OPENINGS)?.length ?? 0;
  }
  return total;
}

function endOf(source: string, mark: string, from: number): number {
  const found = source.indexOf(mark, from);
  return found === -1 ? source.length : found;
}

function endOfString(source: string, from: number, quote: string): number {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === quote) return at + 1;
    // A quote inside a template's `${}` part does not end the template.
    else if (quote === '`' && source.startsWith('${', at)) at = endOfPart(source, at + 2);
  }
  return source.length;
}

/** The index of the `}` that closes a template's part. */
function endOfPart(source: string, from: number): number {
  let depth = 1;
  for (let at = from; at < source.length; at += 1) {
    const one = source[at] ?? '';
    if (one === "'" || one === '"' || one === '`') at = endOfString(source, at + 1, one) - 1;
    else if (one === '{') depth += 1;
    else if (one === '}' && (depth -= 1) === 0) return at;
  }
  return source.length;
}

function endOfPattern(source: string, from: number): number {
  let inClass = false;
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === '\n') return at;
    else if (source[at] === '[') inClass = true;
    else if (source[at] === ']') inClass = false;
    else if (source[at] === '/' && !inClass) return at + 1;
  }
  return source.length;
}
