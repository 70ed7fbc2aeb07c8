export { type MemoryLine, memoryLogger } from './memory-logger.ts';
