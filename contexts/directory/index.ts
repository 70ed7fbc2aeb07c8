export { DirectoryAgent, type DirectoryAgentDeps, type FolderDeps } from './application/directory-agent.ts';
