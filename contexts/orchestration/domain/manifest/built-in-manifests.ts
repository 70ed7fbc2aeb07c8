import { deploymentGroupManifest } from './group/deployment-group-manifest.ts';
import { inlineManifest } from './inline-manifest.ts';
import { type ManifestRegistry, type ManifestStrategy, manifestRegistry } from './manifest-strategy.ts';
import { templateManifest } from './template/template-manifest.ts';
import type { ReadTemplateText } from './template/template-source.ts';

export interface BuiltInManifestsDeps {
  readonly readText: ReadTemplateText;
  /** Those of addons. None takes another's type. */
  readonly added?: readonly ManifestStrategy[];
}

/** The children of a group are looked into when somebody writes the group, with all that they may choose from. */
export function builtInManifests({ readText, added = [] }: BuiltInManifestsDeps): ManifestRegistry {
  const group = deploymentGroupManifest({ childFaults: () => [] });
  return manifestRegistry([inlineManifest, templateManifest({ readText }), group, ...added] as ManifestStrategy[]);
}
