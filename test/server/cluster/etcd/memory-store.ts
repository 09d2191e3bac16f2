/** The part of etcd that join tokens and the authority use, in memory. */
export const memoryStore = () => {
  const values = new Map<string, Buffer>()
  return {
    values,
    read: (key: string) => Promise.resolve(values.get(key)),
    list: (prefix: string) => Promise.resolve(new Map([...values].filter(([key]) => key.startsWith(prefix)))),
    replace: (key: string, before: Uint8Array | undefined, after: Uint8Array | undefined) => {
      const found = values.get(key)
      const isSame = before === undefined ? found === undefined : found?.equals(before) === true
      if (isSame && after === undefined) values.delete(key)
      else if (isSame && after !== undefined) values.set(key, Buffer.from(after))
      return Promise.resolve(isSame)
    }
  }
}
