export { DirectoryAgent, type FolderDeps } from './application/directory-agent.ts';
