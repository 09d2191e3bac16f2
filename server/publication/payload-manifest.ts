// The signed manifest of the payload segments of a published log: a note like a checkpoint, with a line for each segment or page of segments.
import { hash } from 'node:crypto'
import type { NoteKey, NoteSigner } from '../../events/log/evidence/note-keys.js'
import { openNote, signNote } from '../../events/log/evidence/note.js'
import { ProofFailed } from '../../events/log/evidence/proofs.js'
import { checkpointText, parseCheckpoint } from '../../events/log/evidence/signed-checkpoint.js'
import { requiredFile, type PublicFiles } from './public-files.js'

export const PAYLOADS = 'payload'
export const MANIFEST_FILE = `${PAYLOADS}/manifest`
/** Segments in a page. */
export const PAGE_SEGMENTS = 64
/** Limit of a file of payloads. */
const MAX_FILE_BYTES = 2 ** 30

/** A file of payloads, whose name is its hash. */
export interface PayloadFile {
  /** Index of its last commit. */
  readonly last: number
  /** Number of its commits. */
  readonly count: number
  readonly bytes: number
  /** SHA-256, hex. */
  readonly digest: string
}

export interface PayloadManifest {
  /** Number of published commits, and the root of their tree. */
  readonly size: number
  readonly root: Buffer
  readonly cipher: string
  /** Index of the newest erasure order that the segments obey; 0 for none. */
  readonly erasedUpTo: number
  /** Files with the lines of segments. */
  readonly pages: readonly PayloadFile[]
  /** Segments that are in no page. */
  readonly segments: readonly PayloadFile[]
}

/** Returns the name under which a manifest is signed. */
export const manifestOrigin = (origin: string): string => `${origin}/payloads`

/** Returns the path of a file of payloads. */
export const payloadPath = ({ digest }: Pick<PayloadFile, 'digest'>): string =>
  `${PAYLOADS}/${digest.slice(0, 2)}/${digest.slice(2)}`

/** Returns what the encryption binds a segment to. */
export const segmentPlace = ({ last, count }: Pick<PayloadFile, 'last' | 'count'>): string =>
  `commits ${last - count + 1} to ${last}`

/** Describes the bytes of a file of payloads. */
export const payloadFile = (bytes: Buffer, last: number, count: number): PayloadFile => ({
  last,
  count,
  bytes: bytes.length,
  digest: hash('sha256', bytes)
})

const lineOf = (kind: string, { last, count, bytes, digest }: PayloadFile): string =>
  `${kind} ${last} ${count} ${bytes} ${digest}`

const LINE = /^(page|segment) ([1-9]\d{0,14}) ([1-9]\d{0,14}) ([1-9]\d{0,9}) ([0-9a-f]{64})$/u

/** Parses lines of segments and pages. @throws ProofFailed unless they are consecutive commits */
const parseLines = (lines: readonly string[], from: number) => {
  const files: Record<'page' | 'segment', PayloadFile[]> = { page: [], segment: [] }
  let index = from
  for (const line of lines) {
    const [, kind = '', last, count, bytes, digest = ''] = LINE.exec(line) ?? []
    const file = { last: Number(last), count: Number(count), bytes: Number(bytes), digest }
    if (digest === '' || file.last !== index + file.count || file.bytes > MAX_FILE_BYTES)
      throw new ProofFailed(`the manifest of the payloads has an invalid line: ${JSON.stringify(line)}`)
    files[kind === 'page' ? 'page' : 'segment'].push(file)
    index = file.last
  }
  return { ...files, index }
}

/** Returns the signed manifest. */
export const signManifest = (manifest: PayloadManifest, signer: NoteSigner): Buffer => {
  const { size, root, cipher, erasedUpTo, pages, segments } = manifest
  const extensions = [
    `cipher ${cipher}`,
    `erased ${erasedUpTo}`,
    ...pages.map(page => lineOf('page', page)),
    ...segments.map(segment => lineOf('segment', segment))
  ]
  return Buffer.from(signNote(checkpointText({ origin: signer.key.name, size, root, extensions }), signer))
}

/** @throws MalformedNote unless the key has signed it; ProofFailed for an invalid line */
export const openManifest = (note: Buffer, key: NoteKey): PayloadManifest => {
  const { origin, size, root, extensions = [] } = parseCheckpoint(openNote(note, [key]).text)
  const [cipherLine = '', erasedLine = '', ...lines] = extensions
  const [, cipher] = /^cipher (.+)$/u.exec(cipherLine) ?? []
  const [, erased] = /^erased (\d{1,15})$/u.exec(erasedLine) ?? []
  const { page: pages, segment: segments, index } = parseLines(lines, 0)
  if (origin !== key.name || cipher === undefined || erased === undefined || index !== size)
    throw new ProofFailed(`the manifest of the payloads of ${origin} is invalid`)
  return { size, root, cipher, erasedUpTo: Number(erased), pages, segments }
}

/** Returns a file of payloads as it was published. @throws ProofFailed if its bytes have another hash; SourceUnavailable if it is missing */
export const readPayloadFile = async (files: PublicFiles, file: PayloadFile): Promise<Buffer> => {
  const path = payloadPath(file)
  const bytes = await requiredFile(files, path, file.bytes)
  if (bytes.length !== file.bytes || hash('sha256', bytes) !== file.digest)
    throw new ProofFailed(
      `${path}, the payloads of commits ${file.last - file.count + 1} to ${file.last}, is not what the manifest names`
    )
  return bytes
}

/** Returns the content of a page. */
export const encodePage = (segments: readonly PayloadFile[]): Buffer =>
  Buffer.from(segments.map(segment => `${lineOf('segment', segment)}\n`).join(''))

/** Reads the segments of a page. @throws as `readPayloadFile` */
export const readPage = async (files: PublicFiles, page: PayloadFile): Promise<readonly PayloadFile[]> => {
  const lines = (await readPayloadFile(files, page)).toString().split('\n').slice(0, -1)
  const { segment, index } = parseLines(lines, page.last - page.count)
  if (index !== page.last) throw new ProofFailed(`a page of payloads does not end with commit ${page.last}`)
  return segment
}

/** Yields the segments with commits from an index on, in order. @throws as `readPayloadFile` */
export async function* segmentsFrom(
  files: PublicFiles,
  { pages, segments }: PayloadManifest,
  from: number
): AsyncGenerator<PayloadFile> {
  for (const page of pages)
    if (page.last >= from)
      for (const segment of await readPage(files, page)) if (segment.last >= from) yield segment
  for (const segment of segments) if (segment.last >= from) yield segment
}
