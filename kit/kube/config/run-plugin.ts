import { spawn } from 'node:child_process';
import { KubeError } from '../kube-error.ts';
import type { ExecPlugin } from './kube-config.ts';

const TIMEOUT_MS = 60_000;
const MOST_OUTPUT = 1024 * 1024;
const MOST_COMPLAINT = 500;

/** Returns the output of the program. It runs without interaction and terminal, and is killed after a minute. */
export async function runPlugin(plugin: ExecPlugin): Promise<string> {
  const { apiVersion, command, args, env, environment, cluster } = plugin;
  const spec = { interactive: false, ...(cluster && { cluster }) };
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec });
  const child = spawn(command, args, {
    env: { ...environment, ...env, KUBERNETES_EXEC_INFO: info },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.length > MOST_OUTPUT) child.kill('SIGKILL');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-MOST_COMPLAINT);
  });
  child.once('error', (cause) => reject(refusal(plugin, cause.message, cause)));
  child.once('close', (code, killedBy) => {
    if (code === 0) return resolve(output);
    const how = code === null ? `it was ended by ${killedBy}` : `it exited with ${code}`;
    reject(refusal(plugin, [how, complaint.trim()].filter(Boolean).join(': ')));
  });
  return promise;
}

function refusal({ command, installHint }: ExecPlugin, why: string, cause?: unknown): KubeError {
  const hint = installHint === undefined ? '' : ` (${installHint.trim()})`;
  return new KubeError('CREDENTIALS_UNAVAILABLE', `run ${command} for credentials: ${why}${hint}`, { cause });
}
