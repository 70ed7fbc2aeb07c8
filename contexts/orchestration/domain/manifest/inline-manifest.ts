import type { Document } from '#protocol/delivery';
import { documentFaults } from './document-faults.ts';
import type { Generated, ManifestStrategy } from './manifest-strategy.ts';
import { parsedUnless } from './parsed.ts';
import { targetTypeFaults } from './target-types.ts';

/** Literal documents, the same for every target. */
export type InlineSpec = {
  readonly type: 'inline';
  readonly documents: readonly Document[];
  readonly targetTypes?: readonly string[];
};

export const inlineManifest = {
  type: 'inline',
  isLiteral: true,
  parse: (spec, at) =>
    parsedUnless(
      [
        ...documentFaults(spec.documents, `${at}/documents`),
        ...targetTypeFaults(spec.targetTypes, `${at}/targetTypes`),
      ],
      () => spec,
    ),
  reads: () => [],
  fits: ({ targetTypes }) => targetTypes,
  generate: ({ documents }): Generated => ({ kind: 'generated', documents }),
} as const satisfies ManifestStrategy<InlineSpec, InlineSpec>;
