import type { Json, JsonObject } from '#kit/std';
import { escapePointer, type FieldFault, type LabelSelector, matchesSelector, selectorFaults } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { documentFaults, valueFaults } from '../document-faults.ts';
import type { GenerateContext } from '../generate-context.ts';
import { fieldOf, isObject } from '../json.ts';
import type { Generated, ManifestStrategy } from '../manifest-strategy.ts';
import { mergeValues } from '../merge-values.ts';
import { type Parsed, parsedUnless } from '../parsed.ts';
import { isMarked, marked, withoutMarks } from '../secret-mark.ts';
import { targetTypeFaults } from '../target-types.ts';
import { type CompiledTemplate, compileTemplate } from './compile-template.ts';
import { holdsLiteralSecret } from './literal-secrets.ts';
import { renderTemplate, type Variables } from './render-template.ts';
import { templateFault } from './template-position.ts';
import type { ReadTemplateText, TemplateSource } from './template-source.ts';
import { TEMPLATE_LIMITS, type TemplateLimits } from './work-budget.ts';

/**
 * Documents with `${...}` in their texts, and the values for them. The template is either `documents` or the text of a
 * file. For each target, `values` are patched by each of the `overrides` that selects it, in order, and then by the
 * target's own entry in `targets`.
 */
export type TemplateSpec = {
  readonly type: 'template';
  readonly documents?: readonly Document[];
  /** Marked if it contains a secret. */
  readonly template?: string | JsonObject;
  readonly values?: JsonObject;
  readonly overrides?: readonly ValuesOverride[];
  /** By target name. The target need not exist yet. */
  readonly targets?: Readonly<Record<string, JsonObject>>;
  readonly targetTypes?: readonly string[];
};

export interface ValuesOverride {
  readonly selector: LabelSelector;
  readonly values: JsonObject;
}

interface ReadyTemplate {
  readonly spec: TemplateSpec;
  readonly source: TemplateSource;
  readonly compiled: CompiledTemplate;
}

export interface TemplateDeps {
  readonly readText: ReadTemplateText;
  readonly limits?: TemplateLimits;
}

export function templateManifest({ readText, limits = TEMPLATE_LIMITS }: TemplateDeps) {
  /** A text is parsed when it is checked, and needed again before it is stored. */
  const sources = new WeakMap<TemplateSpec, Parsed<TemplateSource>>();
  return {
    type: 'template',
    checksDocuments: true,
    parse: (spec, at) => {
      const source = sourceOf(spec, at, readText);
      sources.set(spec, source);
      return parseTemplate(spec, at, source);
    },
    hide: (spec) => withHiddenText(spec, sources.get(spec) ?? sourceOf(spec, '', readText)),
    reads: ({ spec, compiled }) => [...new Set([...compiled.reads, ...selectedLabels(spec)])].sort(),
    fits: ({ spec }) => spec.targetTypes,
    generate: (ready, context): Generated => generate(ready, context, limits),
  } as const satisfies ManifestStrategy<TemplateSpec, ReadyTemplate>;
}

/**
 * DECISION: a text that contains a secret is secret as a whole. Masking single places would leave the secret in comments,
 * behind anchors and in parts that could not be parsed. A text that only names secrets of `values` stays open.
 */
function withHiddenText(spec: TemplateSpec, source: Parsed<TemplateSource>): TemplateSpec {
  if (typeof spec.template !== 'string' || source.kind === 'faulty') return spec;
  return source.value.documents.some(holdsLiteralSecret) ? { ...spec, template: marked(spec.template) } : spec;
}

function parseTemplate(spec: TemplateSpec, at: string, source: Parsed<TemplateSource>): Parsed<ReadyTemplate> {
  const faults = [...valuesFaults(spec, at), ...targetTypeFaults(spec.targetTypes, `${at}/targetTypes`)];
  if (source.kind === 'faulty') return { kind: 'faulty', faults: [...source.faults, ...faults] };
  const compiled = compileTemplate(source.value.documents);
  const problems = compiled.problems.map((problem) => templateFault(problem, source.value));
  return parsedUnless([...problems, ...faults], () => ({ spec, source: source.value, compiled }));
}

function sourceOf(
  { documents, template }: TemplateSpec,
  at: string,
  readText: ReadTemplateText,
): Parsed<TemplateSource> {
  if (documents !== undefined && template === undefined) {
    const path = `${at}/documents`;
    return parsedUnless(shapeFaults(documents, path), () => ({ at: path, documents, locate: undefined }));
  }
  if (template === undefined || documents !== undefined) {
    return { kind: 'faulty', faults: [{ path: at, message: 'must have either documents or template' }] };
  }
  const path = `${at}/template`;
  const content = typeof template === 'string' ? template : withoutMarks(template);
  if (typeof content !== 'string') return { kind: 'faulty', faults: [{ path, message: 'must be a text' }] };
  const read = readText(content, path);
  if (read.kind === 'faulty') return read;
  const text = read.value;
  return parsedUnless(
    shapeFaults(text.documents, '').map((fault) => ({ ...fault, path })),
    () => ({ at: path, documents: text.documents, locate: (place, inner) => text.locate(place, inner) }),
  );
}

/** Names that are still expressions cannot be compared yet. */
function shapeFaults(documents: readonly Document[], at: string): FieldFault[] {
  return documents.flatMap((document, index) =>
    isObject(document)
      ? valueFaults(document, `${at}/${index}`)
      : [{ path: `${at}/${index}`, message: 'must be an object' }],
  );
}

function valuesFaults({ values = {}, overrides = [], targets = {} }: TemplateSpec, at: string): FieldFault[] {
  return [
    ...namedFaults(values, `${at}/values`),
    ...overrides.flatMap((override, index) => [
      ...selectorFaults(override.selector, `${at}/overrides/${index}/selector`),
      ...namedFaults(override.values, `${at}/overrides/${index}/values`),
    ]),
    ...Object.entries(targets).flatMap(([name, own]) => namedFaults(own, `${at}/targets/${escapePointer(name)}`)),
  ];
}

/** A mark around all values would be lost when they are merged with others. */
function namedFaults(values: JsonObject, at: string): FieldFault[] {
  return isMarked(values) ? [{ path: at, message: 'must mark its values one by one' }] : valueFaults(values, at);
}

function selectedLabels({ overrides = [] }: TemplateSpec): readonly string[] {
  return overrides
    .flatMap(({ selector: { matchLabels = {}, matchExpressions = [] } }) => [
      ...Object.keys(matchLabels),
      ...matchExpressions.map(({ key }) => key),
    ])
    .map((key) => `/labels/${escapePointer(key)}`);
}

function generate(
  { spec, source, compiled }: ReadyTemplate,
  context: GenerateContext,
  limits: TemplateLimits,
): Generated {
  const rendered = renderTemplate(compiled.documents, variablesOf(spec, context), limits);
  if (rendered.kind === 'failed') {
    return { kind: 'failed', faults: rendered.problems.map((problem) => templateFault(problem, source)) };
  }
  // These faults are about the output, whose paths mean nothing in the template.
  const faults = documentFaults(rendered.documents, '').map(({ path, message }) => ({
    path: source.at,
    message: `in the rendered documents, ${path} ${message}`,
  }));
  return faults.length > 0 ? { kind: 'failed', faults } : { kind: 'generated', documents: rendered.documents };
}

function variablesOf(spec: TemplateSpec, context: GenerateContext): Variables {
  const { target, deployment, revision, namespace, config } = context;
  const variables = new Map<string, Json>([
    ['values', valuesFor(spec, target)],
    ['target', { ...target }],
    ['deployment', { ...deployment }],
    ['revision', revision],
    ['config', config],
  ]);
  return namespace === undefined ? variables : variables.set('namespace', namespace);
}

function valuesFor(
  { values = {}, overrides = [], targets = {} }: TemplateSpec,
  target: GenerateContext['target'],
): JsonObject {
  const selected = overrides.filter(({ selector }) => matchesSelector(selector, target.labels));
  const own = fieldOf(targets, target.name);
  return [...selected.map((override) => override.values), ...(isObject(own) ? [own] : [])].reduce(mergeValues, values);
}
