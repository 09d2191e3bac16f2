// The signed manifest of the payloads of a published log: a note like a checkpoint, with a line for the base snapshot of a pruned log, and
// for each segment or page of segments.
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
  /** Index of its last commit; of a piece of the base snapshot, its number. */
  readonly last: number
  /** Number of its commits; of the list of the pieces of the base snapshot, their number. */
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
  /** The list of the pieces of the base snapshot, which stands for the commits before the first segment. */
  readonly base?: PayloadFile | undefined
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

const LINE = /^(page|segment|base|piece) ([1-9]\d{0,14}) ([1-9]\d{0,14}) ([1-9]\d{0,9}) ([0-9a-f]{64})$/u

/** Parses a line. @throws ProofFailed for a line of another kind */
const parseLine = (line: string, kinds: readonly string[]): PayloadFile & { readonly kind: string } => {
  const [, kind = '', last, count, bytes, digest = ''] = LINE.exec(line) ?? []
  const file = { kind, last: Number(last), count: Number(count), bytes: Number(bytes), digest }
  if (kinds.includes(kind) && file.bytes <= MAX_FILE_BYTES) return file
  throw invalidLine(line)
}

const invalidLine = (line: string): ProofFailed =>
  new ProofFailed(`the manifest of the payloads has an invalid line: ${JSON.stringify(line)}`)

/** Parses lines of some kinds. @param from the commit before the first. @throws ProofFailed unless they are consecutive commits */
const parseLines = (lines: readonly string[], kinds: readonly string[], from: number) => {
  let index = from
  const files = lines.map(line => {
    const file = parseLine(line, kinds)
    if (file.last !== index + file.count) throw invalidLine(line)
    index = file.last
    return file
  })
  return { files, index }
}

/** Returns the signed manifest. */
export const signManifest = (manifest: PayloadManifest, signer: NoteSigner): Buffer => {
  const { size, root, cipher, erasedUpTo, base, pages, segments } = manifest
  const extensions = [
    `cipher ${cipher}`,
    `erased ${erasedUpTo}`,
    ...(base ? [lineOf('base', base)] : []),
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
  const base = lines[0]?.startsWith('base ') ? parseLine(lines[0], ['base']) : undefined
  const files = base ? lines.slice(1) : lines
  const start = firstOf(files, base)
  const { files: named, index } = parseLines(files, ['page', 'segment'], start)
  const isCovered = base ? start <= base.last && base.last <= size : start === 0
  if (origin !== key.name || cipher === undefined || erased === undefined || index !== size || !isCovered)
    throw new ProofFailed(`the manifest of the payloads of ${origin} is invalid`)
  const pages = named.filter(({ kind }) => kind === 'page')
  return {
    size,
    root,
    cipher,
    erasedUpTo: Number(erased),
    base,
    pages,
    segments: named.filter(({ kind }) => kind === 'segment')
  }
}

/** Returns the index of the last commit that no segment has. */
const firstOf = ([first]: readonly string[], base: PayloadFile | undefined): number => {
  if (first === undefined || !base) return base?.last ?? 0
  const { last, count } = parseLine(first, ['page', 'segment'])
  return last - count
}

/** Returns a file of payloads as it was published. @throws ProofFailed if its bytes have another hash; SourceUnavailable if it is missing */
export const readPayloadFile = async (
  files: PublicFiles,
  file: PayloadFile,
  place = `the payloads of ${segmentPlace(file)}`
): Promise<Buffer> => {
  const path = payloadPath(file)
  const bytes = await requiredFile(files, path, file.bytes)
  if (bytes.length !== file.bytes || hash('sha256', bytes) !== file.digest)
    throw new ProofFailed(`${path}, ${place}, is not what the manifest names`)
  return bytes
}

/** Returns the content of a page, or of the list of the pieces of a base snapshot. */
export const encodePage = (files: readonly PayloadFile[], kind: 'segment' | 'piece' = 'segment'): Buffer =>
  Buffer.from(files.map(file => `${lineOf(kind, file)}\n`).join(''))

/** Reads the segments of a page. @throws as `readPayloadFile` */
export const readPage = async (files: PublicFiles, page: PayloadFile): Promise<readonly PayloadFile[]> => {
  const lines = (await readPayloadFile(files, page)).toString().split('\n').slice(0, -1)
  const { files: segments, index } = parseLines(lines, ['segment'], page.last - page.count)
  if (index !== page.last) throw new ProofFailed(`a page of payloads does not end with commit ${page.last}`)
  return segments
}

/** Returns what the encryption binds a piece of a base snapshot to. */
export const piecePlace = (base: Pick<PayloadFile, 'last'>, { last }: Pick<PayloadFile, 'last'>): string =>
  `piece ${last} of the base snapshot of commit ${base.last}`

/** Reads the list of the pieces of a base snapshot. @throws as `readPayloadFile` */
export const readPieces = async (files: PublicFiles, base: PayloadFile): Promise<readonly PayloadFile[]> => {
  const list = await readPayloadFile(files, base, `the list of the base snapshot of commit ${base.last}`)
  const { files: pieces, index } = parseLines(list.toString().split('\n').slice(0, -1), ['piece'], 0)
  if (index !== base.count)
    throw new ProofFailed(`the base snapshot of commit ${base.last} lacks pieces after ${index}`)
  return pieces
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
