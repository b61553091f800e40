// DNS names in this process only, for tests.
import type { NameState } from '../model/names.ts';
import type { NameStore, Stored } from '../ports.ts';

const keyOf = (hostname: string, family: string): string => `${family}#${hostname}`;

export function memoryNames(): NameStore {
  const names = new Map<string, Stored<NameState>>();
  return {
    async list() {
      return structuredClone([...names.values()].map(({ value }) => value));
    },
    async get(hostname, family) {
      return structuredClone(names.get(keyOf(hostname, family)));
    },
    async save(state, expected) {
      const key = keyOf(state.record.hostname, state.record.family);
      if ((names.get(key)?.version ?? 0) !== expected) return false;
      names.set(key, { value: structuredClone(state), version: expected + 1 });
      return true;
    },
    async claim(hostname, family, { now, until }) {
      const key = keyOf(hostname, family);
      const stored = names.get(key);
      if (stored === undefined || stored.value.nextCheckAt > now) return undefined;
      names.set(key, { value: { ...stored.value, nextCheckAt: until }, version: stored.version + 1 });
      return structuredClone(names.get(key));
    },
    async remove(hostname, family, expected) {
      const key = keyOf(hostname, family);
      if (names.get(key)?.version === expected) names.delete(key);
    },
  };
}
