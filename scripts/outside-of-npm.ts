/** Removes the variables by which npm tells scripts their package; an npm started in another folder would believe them. */
export function outsideOfNpm(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !/^npm_|^INIT_CWD$/i.test(name));
  return Object.fromEntries(kept);
}
