import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failed } from '../failures.js'
import { group, remoteCommand } from '../remote/command.js'
import { textContent } from '../remote/content.js'
import { required, on, text, texts } from '../remote/flags.js'
import { details } from '../remote/output.js'
import { inspectArchive, type ArchiveFacts } from './archive.js'

const factsText = (facts: ArchiveFacts): string =>
  details(['ID', 'Size', 'Index', 'Term', 'Version', 'Signer'], facts)

const save = remoteCommand({
  summary: 'Save everything into a file: the log with its history, or the state alone.',
  about:
    'What was saved is read through and its sums and signature are checked, unless it is encrypted. A file that is there is replaced when that\nhas gone well. Needs acl:write; the file holds secrets, and only you may read it.',
  examples: [
    'annals snapshot save backup.snap',
    'annals snapshot save -state backup.snap                   without what led to the state',
    'annals snapshot save -recipient age1… backup.snap         only who has the secret key can read it'
  ],
  args: { file: required('where to') },
  flags: {
    state: on('the state alone, without what led to it'),
    recipient: texts('key', 'public key of age: the file is encrypted for it')
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
      out.done(`${facts ? 'Saved and verified' : 'Saved'} snapshot to index ${index}`)
    } finally {
      await rm(partial, { force: true })
    }
  }
})

const restore = remoteCommand({
  summary: 'Make the state what a snapshot says; what was stays in the log.',
  examples: [
    'annals snapshot restore backup.snap',
    'annals snapshot restore -pin "$(cat log.vkey)" backup.snap       only if that log has signed it',
    'annals snapshot restore -identity @age.key backup.snap           an encrypted one'
  ],
  args: { file: required('the snapshot') },
  flags: {
    pin: text('key', 'public key that the snapshot must be signed with'),
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
    out.done('Restored snapshot')
  }
})

const inspect = remoteCommand({
  summary: 'Tell what a snapshot is of, and check its sums and signature; asks no server.',
  examples: [
    'annals snapshot inspect backup.snap',
    'annals snapshot inspect -pin "$(cat log.vkey)" backup.snap'
  ],
  args: { file: required('the snapshot') },
  flags: { pin: text('key', 'public key that the snapshot must be signed with') },
  run: async ({ out, args, flags }) => out.show(await inspectArchive(args.file, flags.pin), factsText)
})

export const snapshot = group({
  summary: 'Save and restore everything.',
  examples: ['annals snapshot save backup.snap', 'annals snapshot inspect backup.snap'],
  commands: { save, restore, inspect }
})
