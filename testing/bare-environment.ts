/**
 * The environment of a process that a test starts: our PATH and temporary folder, a home made by the test, and nothing
 * else. A stray FLEETSHIFT_ variable, kubeconfig or context of the user would change what is tested.
 */
export function bareEnvironment(home: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH, TMPDIR } = process.env;
  return { PATH, TMPDIR, HOME: home, ...compiledCode(), ...more };
}

/** The only thing that all processes of a run may share: Node's cache of compiled code. */
export function compiledCode(): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE: folder } = process.env;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
