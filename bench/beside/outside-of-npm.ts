/** npm tells its scripts which package they belong to, and an npm that is started in another folder would believe it. */
export function outsideOfNpm(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !/^npm_|^INIT_CWD$/i.test(name));
  return Object.fromEntries(kept);
}
