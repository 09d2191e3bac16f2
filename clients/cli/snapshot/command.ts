import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import { Failed } from '../console.js'
import { META, OLD_SIGNATURE, STATE, SUMS } from '../../../http/routes/snapshot/format.js'
import { signatureIn } from '../../../http/routes/snapshot/tar.js'
import { open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { group, remoteCommand } from '../remote/command.js'
import { textContent } from '../remote/content.js'
import { required, on, text, texts } from '../remote/flags.js'
import { details } from '../remote/output.js'

// Verification of an archive without unpacking its log.

interface ArchiveFacts {
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
    throw fault(`its ${META} is no JSON`)
  }
}

/**
 * Reads an archive once from start to end.
 * @param pin required public key; undefined accepts any signature, or none
 * @throws Failed if the file is no archive, is truncated or modified, or lacks the required signature
 */
const inspectArchive = async (file: string, pin?: string): Promise<ArchiveFacts> => {
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

const factsText = (facts: ArchiveFacts): string =>
  details(['ID', 'Size', 'Index', 'Term', 'Version', 'Signer'], facts)

const save = remoteCommand({
  summary: 'Save a snapshot of the log with its history, or of the state only.',
  about:
    'The command verifies checksums and signature of the snapshot unless it is encrypted, and only then replaces an existing file.\nRequires acl:write. The file contains secrets, and only you can read it.',
  examples: [
    'annals snapshot save backup.snap',
    'annals snapshot save -state backup.snap                   without the history',
    'annals snapshot save -recipient age1… backup.snap         encrypted for the owner of the key'
  ],
  args: { file: required('file of the snapshot') },
  flags: {
    state: on('the state only, without the history'),
    recipient: texts('key', 'public key of age for which to encrypt the file')
  },
  run: async ({ get, out, args, flags }) => {
    const { state, recipient } = flags
    const query = { state, recipient: recipient.length === 0 ? undefined : recipient.join(',') }
    const answer = await get('/v1/snapshot', query)
    if (!answer.body) throw new Failed('the server has sent no snapshot')
    const partial = `${args.file}.part`
    try {
      await pipeline(Readable.fromWeb(answer.body), createWriteStream(partial, { mode: 0o600, flush: true }))
      const facts = recipient.length === 0 ? await inspectArchive(partial) : undefined
      await rename(partial, args.file)
      const index = facts?.Index ?? answer.index ?? ''
      out.note(`${facts ? 'Saved and verified' : 'Saved'} snapshot to index ${index}`)
    } finally {
      await rm(partial, { force: true })
    }
  }
})

const restore = remoteCommand({
  summary: 'Restore the state of a snapshot. The log keeps the history.',
  examples: [
    'annals snapshot restore backup.snap',
    'annals snapshot restore -pin "$(cat log.vkey)" backup.snap       only if that log signed it',
    'annals snapshot restore -identity @age.key backup.snap           an encrypted one'
  ],
  args: { file: required('file of the snapshot') },
  flags: {
    pin: text('key', 'public key that must have signed the snapshot'),
    identity: text(
      'key',
      'secret key of age of an encrypted snapshot; @FILE or - keeps it off the command line'
    )
  },
  run: async ({ send, out, args, flags, console }) => {
    const { pin, identity } = flags
    const secret = identity === undefined ? undefined : (await textContent(identity, console)).trim()
    // A missing file fails before the request.
    const file = await open(args.file)
    await send('PUT', '/v1/snapshot', {
      query: { pin },
      headers: {
        'Content-Type': 'application/x-gzip',
        ...(secret === undefined ? {} : { 'X-Service-Snapshot-Identity': secret })
      },
      body: Readable.toWeb(file.createReadStream())
    })
    out.note('Restored snapshot')
  }
})

const inspect = remoteCommand({
  summary: 'Show the facts of a snapshot and verify its checksums and signature, without a server.',
  examples: [
    'annals snapshot inspect backup.snap',
    'annals snapshot inspect -pin "$(cat log.vkey)" backup.snap'
  ],
  args: { file: required('file of the snapshot') },
  flags: { pin: text('key', 'public key that must have signed the snapshot') },
  run: async ({ out, args, flags }) => out.show(await inspectArchive(args.file, flags.pin), factsText)
})

export const snapshot = group({
  summary: 'Save, restore and inspect snapshots.',
  examples: ['annals snapshot save backup.snap', 'annals snapshot inspect backup.snap'],
  commands: { save, restore, inspect }
})
