// Keys as a tree: what stands directly below a folder, which is a beginning of keys that ends with `/`.

export interface Folder {
  /** With the folders that it is in, and `/` at its end. */
  readonly path: string
  /** How many keys are in it, and in the folders in it. */
  readonly count: number
}

/** What is directly below a folder. @param under path of the folder; empty for all keys */
export const below = <T extends { readonly event: { readonly Key: string } }>(
  rows: readonly T[],
  under: string
): { readonly folders: readonly Folder[]; readonly leaves: readonly T[] } => {
  const counts = new Map<string, number>()
  const leaves = rows.filter(({ event: { Key } }) => {
    if (!Key.startsWith(under)) return false
    const end = Key.indexOf('/', under.length)
    // A key may itself end with `/`: it is listed in the folder of its name.
    if (end < 0) return true
    const path = Key.slice(0, end + 1)
    counts.set(path, (counts.get(path) ?? 0) + 1)
    return false
  })
  return { folders: [...counts].map(([path, count]) => ({ path, count })), leaves }
}
