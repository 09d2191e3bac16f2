// Looks for texts in all files of a folder, in every form in which a file of Annals may have them.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import zlib from 'node:zlib'
import { hasCode } from '../../events/errors.js'

const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const GZIP = Buffer.from([0x1f, 0x8b, 0x08])

/** Base64 of bytes wherever they begin among others: what the bytes around them do not change of it. */
const base64Forms = (bytes: Buffer): readonly string[] =>
  [0, 1, 2].map(before => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '')
    const [start, rest] = [Math.ceil((before * 4) / 3), (before + bytes.length) % 3]
    return text.slice(start, rest === 0 ? undefined : -1)
  })

/** As it is, escaped as JSON does, in hex, in Base64, and the JSON that holds it in Base64. */
const formsOf = (text: string): readonly string[] => {
  const json = JSON.stringify(text).slice(1, -1)
  const plain = [...new Set([text, json, JSON.stringify(json).slice(1, -1)])]
  return [
    ...plain,
    ...plain.flatMap(each => base64Forms(Buffer.from(each))),
    ...plain.map(each => Buffer.from(each).toString('hex')),
    ...plain.map(each => Buffer.from(each).toString('hex').toUpperCase())
  ]
}

const expanded = (bytes: Buffer): Buffer | undefined => {
  try {
    if (bytes.subarray(0, ZSTD.length).equals(ZSTD)) return zlib.zstdDecompressSync(bytes)
    return zlib.gunzipSync(bytes, { finishFlush: zlib.constants.Z_SYNC_FLUSH })
  } catch {
    return undefined
  }
}

/** The bytes, and what is compressed among them, also within that. */
function* layersOf(bytes: Buffer): Generator<Buffer> {
  yield bytes
  for (const magic of [ZSTD, GZIP])
    for (let at = bytes.indexOf(magic); at >= 0; at = bytes.indexOf(magic, at + 1)) {
      const inner = expanded(bytes.subarray(at))
      if (inner) yield* layersOf(inner)
    }
}

/** The files below a folder, by their paths from it. */
export const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    name => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true
  )

/** Nothing when it has gone meanwhile. */
const bytesOf = (path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return Buffer.alloc(0)
    throw error
  }
}

/** The files below a folder in which any of these texts is, plain, encoded or compressed. */
export const filesWith = (folder: string, texts: readonly string[]): readonly string[] => {
  const forms = texts.flatMap(formsOf)
  return filesIn(folder).filter(name => {
    for (const layer of layersOf(bytesOf(join(folder, name))))
      if (forms.some(form => layer.includes(form))) return true
    return false
  })
}
