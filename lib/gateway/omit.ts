// Leaves fields out of a record: an absent field is absent, never undefined.

export const omit = <T extends object, K extends keyof T>(value: T, ...keys: readonly K[]): Omit<T, K> => {
  const copy = { ...value };
  for (const key of keys) delete copy[key];
  return copy;
};
