import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Another program on the same servers. It is started with a kubeconfig that has a context for each cluster
 * (`KUBECONFIG`). On its standard input it gets the desired state, one line of JSON each: `{"namespace", "names",
 * "value"}`. ConfigMaps of these names must then have that `data.value` in every cluster. The same watches as for ours
 * determine when they do.
 */
export class Peer {
  readonly name: string;
  readonly #child: ChildProcess;

  constructor({ name, command }: { readonly name: string; readonly command: string }, kubeconfig: string) {
    this.name = name;
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    this.#child = spawn('/bin/sh', ['-c', command], { env, stdio: ['pipe', 'ignore', 'inherit'] });
  }

  spread(names: readonly string[], value: string): void {
    this.#child.stdin?.write(`${JSON.stringify({ namespace: 'bench', names, value })}\n`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.stdin?.end();
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/** `ocm=./spread-with-ocm.sh` */
export function parsePeer(text: string): { readonly name: string; readonly command: string } {
  const at = text.indexOf('=');
  if (at < 1) throw new Error(`--peer ${text}: is not name=command`);
  return { name: text.slice(0, at), command: text.slice(at + 1) };
}
