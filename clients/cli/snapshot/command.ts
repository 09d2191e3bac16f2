import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failed } from '../console.js'
import { group, remoteCommand } from '../remote/command.js'
import { textContent } from '../remote/content.js'
import { required, on, text, texts } from '../remote/flags.js'
import { details } from '../remote/output.js'
import { inspectArchive, type ArchiveFacts } from './archive.js'

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
