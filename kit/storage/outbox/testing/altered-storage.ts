import type { Storage } from '../../port.ts';

/** A real storage with some methods replaced, to inject faults. */
export function alteredStorage(storage: Storage, doors: Partial<Storage>): Storage {
  return {
    engine: storage.engine,
    all: (statement, signal) => storage.all(statement, signal),
    get: (statement, signal) => storage.get(statement, signal),
    read: (body, signal) => storage.read(body, signal),
    write: (body, signal) => storage.write(body, signal),
    commit: (batch, signal) => storage.commit(batch, signal),
    onAnnounced: (topic, listener) => storage.onAnnounced(topic, listener),
    announce: (topic, signal) => storage.announce(topic, signal),
    close: () => storage.close(),
    ...doors,
  };
}
