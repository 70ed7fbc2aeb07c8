import { BadValue, type Kind } from '#kit/config';
import { parseTemporalUrl, type TemporalAddress } from '#kit/durable/temporal';

/** The workflow engine. */
export type DurableChoice =
  | { readonly engine: 'embedded' }
  | { readonly engine: 'temporal'; readonly server: TemporalAddress };

export const durableKind: Kind<DurableChoice> = {
  placeholder: 'embedded|URL',
  expects: 'embedded, or a URL such as temporal://127.0.0.1:7233/default',
  parse(text) {
    if (text === 'embedded') return { engine: 'embedded' };
    try {
      return { engine: 'temporal', server: parseTemporalUrl(text) };
    } catch {
      // The expected format is more helpful than the reason.
      throw new BadValue(`is not ${this.expects}`);
    }
  },
  print: (choice) => (choice.engine === 'embedded' ? 'embedded' : printTemporalUrl(choice.server)),
};

function printTemporalUrl({ address, namespace }: TemporalAddress): string {
  return `temporal://${address}/${encodeURIComponent(namespace)}`;
}
