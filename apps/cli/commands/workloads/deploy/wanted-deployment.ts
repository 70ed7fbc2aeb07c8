import type { Values } from '#kit/config';
import { checkDocuments } from '../../../apply/check-documents.ts';
import type { ApplyDocument } from '../../../apply/document.ts';
import { readDocuments } from '../../../apply/read-documents.ts';
import type { ApiClient } from '../../../client/api-client.ts';
import { ClientError } from '../../../client/client-error.ts';
import { UsageError } from '../../../command.ts';
import { deploymentKind } from '../../../kinds/deployment-kind.ts';
import type { Resource } from '../../../kinds/kind.ts';
import { readOne } from '../../../kinds/read-one.ts';
import { deploymentNamed } from '../rollout/deployment-word.ts';
import { SPEC_SETTINGS } from './deploy-settings.ts';
import { type DeployFlags, deploySpec } from './deploy-spec.ts';
import { readManifests, readText, readValues } from './read-manifests.ts';

export interface Wish {
  readonly values: Values<typeof SPEC_SETTINGS> & { readonly workspace?: string | undefined };
  readonly positionals: readonly string[];
  readonly contextWorkspace: string | undefined;
}

/** The requested deployment, from a document or from flags, and the existing one. */
export interface WantedDeployment {
  readonly document: ApplyDocument;
  readonly current: Resource | undefined;
}

export async function wantedDeployment(api: ApiClient, wish: Wish, signal: AbortSignal): Promise<WantedDeployment> {
  const { filename } = wish.values;
  const [, extra] = wish.positionals;
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
  if (filename === undefined) return await fromFlags(api, wish, signal);
  const document = await fromDocument(filename, wish);
  return { document, current: await find(api, document, signal) };
}

async function fromDocument(filename: string, { values, positionals, contextWorkspace }: Wish): Promise<ApplyDocument> {
  const extra = positionals[0] ?? saidFlag(values);
  if (extra !== undefined) {
    throw new UsageError(`-f defines the whole deployment: leave out ${extra}. Use --file for documents to deliver`);
  }
  const documents = await checkDocuments(readDocuments([filename]), {
    said: values.workspace,
    meant: contextWorkspace,
  });
  const [document, another] = documents;
  if (document === undefined || another !== undefined || document.kind !== deploymentKind) {
    const act = 'for several documents or other kinds use "fleetshift apply -f"; for documents to deliver use --file';
    throw new UsageError(`--filename ${filename}: must be one document of kind Deployment; ${act}`);
  }
  return document;
}

async function fromFlags(api: ApiClient, wish: Wish, signal: AbortSignal): Promise<WantedDeployment> {
  const { values, positionals, contextWorkspace } = wish;
  const [word] = positionals;
  if (word === undefined) throw new UsageError('missing NAME, or a document with -f');
  const rules = deploymentKind.apply;
  if (rules === undefined) throw new TypeError('deployments can be applied');
  const { name, workspace } = deploymentNamed({ word, workspace: values.workspace, contextWorkspace });
  const flags = flagsOf(values);
  // Errors in the flags are reported before any request is sent.
  deploySpec(flags, { rollout: { type: 'rolling', batchSize: 1 }, manifest: { type: 'template' } });
  const thing = {
    kind: deploymentKind,
    rules,
    name,
    place: { workspace },
    key: `deployment/${name}`,
    where: 'the flags',
  };
  const current = await find(api, { ...thing, spec: {} }, signal);
  const document = { ...thing, spec: deploySpec(flags, current) };
  if (current === undefined) refuseHalf(document);
  return { document, current };
}

function flagsOf(values: Wish['values']): DeployFlags {
  const { file, template, values: valuesFile } = values;
  return {
    ...values,
    documents: file.length === 0 ? undefined : readManifests(file),
    template: template === undefined ? undefined : readText('--template', template),
    values: valuesFile === undefined ? undefined : readValues(valuesFile),
  };
}

/** A new deployment needs more fields than a change. */
function refuseHalf({ name, spec }: ApplyDocument): void {
  if (spec['manifest'] === undefined) {
    throw new UsageError(
      `${name} does not exist yet: name the content with --file or --template, or use a document with -f`,
    );
  }
  if (spec['placement'] === undefined) {
    throw new UsageError(`${name} does not exist yet: choose targets with --to LABELS, --to-targets or --to-all`);
  }
}

async function find(api: ApiClient, document: ApplyDocument, signal: AbortSignal): Promise<Resource | undefined> {
  try {
    return await readOne(api, document, signal);
  } catch (error) {
    if (error instanceof ClientError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

function saidFlag(values: Readonly<Record<string, unknown>>): string | undefined {
  const names = Object.keys(SPEC_SETTINGS).filter((name) => name !== 'filename');
  const found = names.find((name) =>
    isSaid(values[name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())]),
  );
  return found === undefined ? undefined : `--${found}`;
}

function isSaid(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}
