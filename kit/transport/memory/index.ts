export { createMemoryTransport, type MemoryTransport, type MemoryTransportOptions } from './memory-transport.ts';
