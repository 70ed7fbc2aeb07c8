import { deploymentGroupManifest } from './group/deployment-group-manifest.ts';
import { inlineManifest } from './inline-manifest.ts';
import { type ManifestRegistry, type ManifestStrategy, manifestRegistry } from './manifest-strategy.ts';
import { templateManifest } from './template/template-manifest.ts';
import type { ReadTemplateText } from './template/template-source.ts';

export interface BuiltInManifestsDeps {
  readonly readText: ReadTemplateText;
}

/** The children of a group are checked when the group is written, where all strategies they may use are known. */
export function builtInManifests({ readText }: BuiltInManifestsDeps): ManifestRegistry {
  const group = deploymentGroupManifest({ childFaults: () => [] });
  return manifestRegistry([inlineManifest, templateManifest({ readText }), group] as ManifestStrategy[]);
}
