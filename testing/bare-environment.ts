/**
 * For a process that a test starts: programs and temporary files as we have them, a home that the test made, and nothing else
 * of ours. A stray FLEETSHIFT_ variable, a kubeconfig or a context of the user would change what is tested.
 */
export function bareEnvironment(home: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH, TMPDIR } = process.env;
  return { PATH, TMPDIR, HOME: home, ...compiledCode(), ...more };
}

/** The one thing that every process of a run may share: where Node keeps compiled code. */
export function compiledCode(): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE: folder } = process.env;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
