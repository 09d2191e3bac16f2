// Files beside the log that survive a crash.
import { open, rename, writeFile } from 'node:fs/promises'

/** Makes a file, or the names in a folder, durable. */
export const flushPath = async (path: string): Promise<void> => {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Replaces a file atomically. @param options `flush` makes the content durable before it replaces the former one */
export const replacePath = async (
  path: string,
  content: string | Uint8Array,
  options: { readonly mode?: number; readonly flush?: boolean }
): Promise<void> => {
  await writeFile(`${path}.new`, content, options)
  await rename(`${path}.new`, path)
}
