export { DirectoryAgent, type DirectoryAgentDeps, type FolderDeps } from './application/directory-agent.ts';
export type { TargetRef } from './domain/order.ts';
