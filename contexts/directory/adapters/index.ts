export { openFolder } from './open-folder.ts';
