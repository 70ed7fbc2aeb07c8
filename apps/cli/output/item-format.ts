import { BadValue, type Kind } from '#kit/config';

/** `manifest` is the input format of `apply`. */
export const PLAIN_FORMATS = ['table', 'wide', 'json', 'yaml', 'name', 'manifest'] as const;
/** These are given with a template, as `jsonpath={.items[*].name}`. */
const WITH_TEMPLATE = ['jsonpath', 'custom-columns'] as const;

export type PlainFormat = (typeof PLAIN_FORMATS)[number];
export type ItemFormat =
  | { readonly kind: PlainFormat }
  | { readonly kind: (typeof WITH_TEMPLATE)[number]; readonly template: string };

/** As a shell completes them. */
export const ITEM_FORMAT_WORDS: readonly string[] = [...PLAIN_FORMATS, ...WITH_TEMPLATE.map((name) => `${name}=`)];

export function itemFormat(): Kind<ItemFormat> {
  return {
    placeholder: [...PLAIN_FORMATS, 'jsonpath=TEMPLATE', 'custom-columns=HEADING:PATH,...'].join('|'),
    expects: `one of ${PLAIN_FORMATS.join(', ')}, jsonpath=TEMPLATE, custom-columns=HEADING:PATH,...`,
    parse(given) {
      const plain = PLAIN_FORMATS.find((name) => name === given);
      if (plain !== undefined) return { kind: plain };
      const kind = WITH_TEMPLATE.find((name) => given.startsWith(`${name}=`));
      const template = given.slice((kind?.length ?? 0) + 1);
      if (kind === undefined || template === '') throw new BadValue(`is not ${this.expects}`);
      return { kind, template };
    },
    print: (format) => ('template' in format ? `${format.kind}=${format.template}` : format.kind),
  };
}
