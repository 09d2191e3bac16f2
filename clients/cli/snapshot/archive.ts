// Verification of an archive without unpacking its log.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import { Failed } from '../console.js'
import { META, OLD_SIGNATURE, STATE, SUMS } from '../../../http/routes/snapshot/format.js'
import { signatureIn } from '../../../http/routes/snapshot/tar.js'

export interface ArchiveFacts {
  readonly ID: string
  readonly Index: number
  readonly Term: number
  readonly Version: number
  /** Unpacked, in bytes. */
  readonly Size: number
  /** Public key of the log. */
  readonly Signer?: string
}

/** Maximum of `meta.json` and of the sums, in bytes. */
const MOST = 64 * 1024

interface Part {
  readonly sum: string
  /** Empty for large entries. */
  readonly text: string
  /** The signed note of the entry's header. */
  readonly note: string | undefined
}

const partOf = async (entry: AsyncIterable<unknown> & { readonly header: Header }): Promise<Part> => {
  const hash = createHash('sha256')
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of entry) {
    if (!Buffer.isBuffer(piece)) continue
    hash.update(piece)
    size += piece.length
    if (size <= MOST) pieces.push(piece)
  }
  const text = size <= MOST ? Buffer.concat(pieces).toString() : ''
  return { sum: hash.digest('hex'), text, note: signatureIn(entry.header) }
}

const partsOf = async (file: string): Promise<ReadonlyMap<string, Part>> => {
  const entries = extract()
  const reading = pipeline(createReadStream(file), createGunzip(), entries)
  // The loop below throws the same error, possibly earlier.
  reading.catch(() => {})
  const parts = new Map<string, Part>()
  for await (const entry of entries) parts.set(entry.header.name, await partOf(entry))
  await reading
  return parts
}

const sumIn = (sums: string, name: string): string | undefined =>
  sums
    .split('\n')
    .map(line => /^([0-9a-f]{64}) [ *](.+)$/.exec(line))
    .find(match => match?.[2] === name)?.[1]

const factsIn = (text: string, fault: (text: string) => Failed): ArchiveFacts => {
  try {
    return JSON.parse(text)
  } catch {
    throw fault(`its ${META} is not JSON`)
  }
}

/**
 * Reads an archive once from start to end.
 * @param pin required public key; undefined accepts any signature, or none
 * @throws Failed if the file is no archive, is truncated or modified, or lacks the required signature
 */
export const inspectArchive = async (file: string, pin?: string): Promise<ArchiveFacts> => {
  const fault = (why: string): Failed => new Failed(`${file} is no sound snapshot: ${why}`)
  let parts: ReadonlyMap<string, Part>
  try {
    parts = await partsOf(file)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error
    throw fault(
      error instanceof Error && /header check/.test(error.message)
        ? 'it is no gzipped tar (encrypted ones are read by the server alone)'
        : 'it is cut short, or damaged'
    )
  }
  const [meta, sums] = [parts.get(META), parts.get(SUMS)]
  if (!meta || !sums) throw fault(`it has no ${meta ? SUMS : META}`)
  for (const name of [META, STATE])
    if (sumIn(sums.text, name) !== parts.get(name)?.sum) throw fault('its content is not what was written')
  const facts = factsIn(meta.text, fault)
  const note = sums.note ?? parts.get(OLD_SIGNATURE)?.text
  if (pin !== undefined || note !== undefined || facts.Signer !== undefined)
    await proveSigned({ sums: sums.text, note, signer: facts.Signer }, pin, fault)
  return facts
}

const proveSigned = async (
  claim: { readonly sums: string; readonly note: string | undefined; readonly signer: string | undefined },
  pin: string | undefined,
  fault: (text: string) => Failed
): Promise<void> => {
  const { verifySigner: proveSigner, requireKey } = await import('../../../http/routes/snapshot/signer.js')
  try {
    if (pin !== undefined) requireKey(pin)
    // The client has no log, so it has no key of its own.
    proveSigner(claim, { vkey: '', pin })
  } catch (error) {
    throw fault(error instanceof Error ? error.message : 'its signature does not hold')
  }
}
