import type { Json, JsonObject } from '#kit/std';
import type { Document } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { GenerateContext } from '../generate-context.ts';
import type { Generated } from '../manifest-strategy.ts';
import { type TemplateSpec, templateManifest } from '../template/template-manifest.ts';
import type { ReadTemplateText } from '../template/template-source.ts';
import { TEMPLATE_LIMITS, type TemplateLimits } from '../template/work-budget.ts';

/** A gold target called edge-1, and the seventh revision of web for it. */
export function aContext(target: Partial<GenerateContext['target']> = {}): GenerateContext {
  return {
    target: {
      id: 't-1' as TargetId,
      name: 'edge-1',
      type: 'kubernetes',
      labels: { tier: 'gold', 'topology/zone': 'a' },
      properties: { nodes: 3, region: { name: 'eu' }, pools: [{ name: 'p0' }], list: ['x', { y: 2 }], text: 'p' },
      manifestTypes: [],
      ...target,
    },
    deployment: { uid: 'd-1', name: 'web', workspace: 'shop' },
    revision: 7,
    namespace: undefined,
    config: { level: 'info' },
    speculative: false,
    idempotencyKey: 'd-1/t-1/7',
  };
}

export interface TemplateRun {
  readonly context?: GenerateContext;
  readonly limits?: TemplateLimits;
  readonly readText?: ReadTemplateText;
}

/** Parsed and rendered; faults of the template itself count as a failure, too. */
export function generateTemplate(
  spec: Omit<TemplateSpec, 'type'>,
  { context = aContext(), limits = TEMPLATE_LIMITS, readText = noText }: TemplateRun = {},
): Generated {
  const strategy = templateManifest({ readText, limits });
  const parsed = strategy.parse({ type: 'template', ...spec }, '/manifest');
  return parsed.kind === 'faulty'
    ? { kind: 'failed', faults: parsed.faults }
    : strategy.generate(parsed.value, context);
}

export function renderedDocuments(spec: Omit<TemplateSpec, 'type'>, run: TemplateRun = {}): readonly Document[] {
  const result = generateTemplate(spec, run);
  if (result.kind === 'generated') return result.documents;
  throw new Error(`the template came to nothing: ${JSON.stringify(result.faults)}`);
}

/** The value of one rendered text. */
export function valueOfText(text: string, values: JsonObject = {}): Json | undefined {
  return renderedDocuments({ documents: [{ x: text }], values })[0]?.['x'];
}

function noText(): never {
  throw new Error('no template of this test is a file');
}
