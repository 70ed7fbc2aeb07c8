import type { Adapter, AdapterPayload } from 'oidc-provider';

/** A provider's state, kept for the duration of the test; a provider restarted with new keys reuses it. */
export class MemoryStore {
  readonly #payloads = new Map<string, AdapterPayload>();

  adapter(model: string): Adapter {
    const payloads = this.#payloads;
    const key = (id: string): string => `${model}:${id}`;
    const find = async (id: string): Promise<AdapterPayload | undefined> => payloads.get(key(id));
    const findBy = async (matches: (payload: AdapterPayload) => boolean): Promise<AdapterPayload | undefined> =>
      [...payloads].find(([name, payload]) => name.startsWith(`${model}:`) && matches(payload))?.[1];
    return {
      upsert: async (id, payload) => void payloads.set(key(id), payload),
      find,
      findByUserCode: async (code) => await findBy(({ userCode }) => userCode === code),
      findByUid: async (uid) => await findBy((payload) => payload.uid === uid),
      consume: async (id) => {
        const payload = await find(id);
        if (payload !== undefined) payloads.set(key(id), { ...payload, consumed: Math.floor(Date.now() / 1000) });
      },
      destroy: async (id) => void payloads.delete(key(id)),
      revokeByGrantId: async (grantId) => {
        for (const [name, payload] of payloads) if (payload.grantId === grantId) payloads.delete(name);
      },
    };
  }
}
