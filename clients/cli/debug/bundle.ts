// The file that `annals debug` makes: a tar of what it was told, compressed.
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'

/** For whoever writes the file alone: a log may say more than its reader wishes to show everybody. */
const MODE = 0o600

/**
 * Writes files into a folder of a new `.tar.gz`.
 * @param entries texts by the name of their file
 * @throws Error of the system, such as for a file that exists
 */
export const writeBundle = async (
  file: string,
  folder: string,
  entries: Readonly<Record<string, string>>,
  mtime: Date
): Promise<void> => {
  const tar = pack()
  const written = pipeline(tar, createGzip(), createWriteStream(file, { flags: 'wx', mode: MODE }))
  for (const [name, text] of Object.entries(entries))
    tar.entry({ name: `${folder}/${name}`, mtime, mode: MODE }, text)
  tar.finalize()
  await written
}
