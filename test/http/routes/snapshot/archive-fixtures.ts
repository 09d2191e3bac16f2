// Archives made by hand.
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import { pack, type Pack } from 'tar-stream'

export type File = readonly [name: string, content: string]

export const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')

/** @param more writes into the tar what is no plain file */
export const archiveOf = (files: readonly File[], more?: (tar: Pack) => void): Promise<Buffer> => {
  const tar = pack()
  for (const [name, content] of files) tar.entry({ name }, content)
  more?.(tar)
  tar.finalize()
  return buffer(tar.pipe(createGzip()))
}

export const TEST_ORIGIN = { AccessorID: '', Address: '', RequestID: '', Command: 'Test' }
export const EVENT = {
  Topic: 'KV',
  Type: 'KVSet',
  Key: 'a',
  Namespace: 'default',
  Partition: 'default',
  FilterKeys: null
}

export const line = (value: unknown): string => `${JSON.stringify(value)}\n`

/** The three files, with sums that are right. */
export const filesOf = (state: string, meta: string): readonly File[] => [
  ['meta.json', meta],
  ['state.bin', state],
  ['SHA256SUMS', `${sha256(meta)}  meta.json\n${sha256(state)}  state.bin\n`]
]
