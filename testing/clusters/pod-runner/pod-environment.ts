import type { Container, EnvSource, EnvVar, KeyRef, Pod } from './pod.ts';
import { podField } from './pod-field.ts';
import type { Entries, PodSources } from './pod-sources.ts';

export interface EnvironmentDeps {
  readonly pod: Pod;
  readonly podIp: string;
  readonly sources: PodSources;
}

/** A container's variables by the rules of a kubelet: `envFrom` first, then each variable, which may refer to earlier ones. */
export async function containerEnvironment(
  deps: EnvironmentDeps,
  container: Container,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const source of container.envFrom ?? []) Object.assign(env, await fromSource(deps, source, signal));
  for (const variable of container.env ?? []) {
    const value = await valueOf(deps, variable, signal);
    if (value !== undefined) env[variable.name] = variable.valueFrom ? value : expandVariables(value, env);
  }
  return env;
}

/** Replaces `$(NAME)` where NAME is known; `$$(NAME)` is the escape for a literal one. */
export function expandVariables(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([A-Za-z_][\w.-]*)\)/g, (found, name?: string) =>
    name === undefined ? '$' : (env[name] ?? found),
  );
}

async function fromSource({ sources }: EnvironmentDeps, source: EnvSource, signal: AbortSignal): Promise<object> {
  const ref = source.secretRef ?? source.configMapRef;
  if (ref === undefined) return {};
  const entries = await (source.secretRef ? sources.secret(ref.name, signal) : sources.configMap(ref.name, signal));
  if (entries === undefined && !ref.optional) throw new Error(`read ${ref.name} for the environment: it is not there`);
  return Object.fromEntries(
    [...(entries ?? [])].map(([key, value]) => [`${source.prefix ?? ''}${key}`, String(value)]),
  );
}

async function valueOf(
  { pod, podIp, sources }: EnvironmentDeps,
  { value, valueFrom }: EnvVar,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (valueFrom === undefined) return value ?? '';
  const { secretKeyRef, configMapKeyRef, fieldRef } = valueFrom;
  if (fieldRef) return podField(pod, fieldRef.fieldPath, podIp);
  if (secretKeyRef) return entryOf(secretKeyRef, await sources.secret(secretKeyRef.name, signal));
  if (configMapKeyRef) return entryOf(configMapKeyRef, await sources.configMap(configMapKeyRef.name, signal));
  throw new Error('read a value for the environment: it comes from nothing that is known here');
}

function entryOf({ name, key, optional }: KeyRef, entries: Entries | undefined): string | undefined {
  const value = entries?.get(key);
  if (value === undefined && !optional) throw new Error(`read ${key} of ${name} for the environment: it is not there`);
  return value === undefined ? undefined : String(value);
}
