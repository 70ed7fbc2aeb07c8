import { UsageError } from '../command.ts';
import { KINDS } from '../kinds/kinds.ts';
import type { ApplyDocument } from './document.ts';

/** Dependencies come first; then by kind, then in the order of the input. */
export function applyOrder(documents: readonly ApplyDocument[]): ApplyDocument[] {
  const byKind = documents.toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
  const byKey = new Map(byKind.map((document) => [document.key, document]));
  const ordered = new Set<ApplyDocument>();
  const visit = (document: ApplyDocument, above: readonly ApplyDocument[]): void => {
    if (ordered.has(document)) return;
    if (above.includes(document)) {
      const circle = [...above.slice(above.indexOf(document)), document].map(({ key }) => key);
      throw new UsageError(`nothing was sent: cyclic dependency: ${circle.join(' is in ')}`);
    }
    for (const needed of needsOf(document)) {
      const found = byKey.get(needed);
      if (found !== undefined) visit(found, [...above, document]);
    }
    ordered.add(document);
  };
  for (const document of byKind) visit(document, []);
  return [...ordered];
}

export function needsOf({ rules, place, spec }: ApplyDocument): readonly string[] {
  return rules.needs({ place, spec });
}
