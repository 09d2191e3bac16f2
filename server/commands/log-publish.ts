// `annals log publish`: writes the public files of a server's log to a folder, for web servers, object stores and CDNs.
import { setTimeout } from 'node:timers/promises'
import { runUntilInterrupted } from '../../clients/cli/remote/child.js'
import { remoteCommand } from '../../clients/cli/remote/command.js'
import { on, required, text, texts } from '../../clients/cli/remote/flags.js'
import { hasStatus, UsageError, type Console } from '../../clients/cli/console.js'
import { noteSigner } from '../../events/log/evidence/note-keys.js'
import { readOrCreateKeyFile } from '../publication/key-file.js'
import { payloadCipher, PLAIN } from '../publication/payload-cipher.js'
import { manifestOrigin } from '../publication/payload-manifest.js'
import { PayloadPublisher } from '../publication/payload-publisher.js'
import type { Connection } from '../../clients/typescript/connection.js'
import { messageOf } from '../../events/errors.js'
import { follow } from '../../events/log/follow.js'
import { PublishedFolder, type PublicationTarget } from '../publication/published-folder.js'
import { requiredFile, SourceUnavailable } from '../publication/public-files.js'
import { Publisher } from '../publication/publisher.js'
import { MAX_NOTE_BYTES } from '../publication/verified-tree.js'
import { recordSource, serverFiles } from './server-source.js'
import { keysOf } from './evidence/trusted-inputs.js'

/** Time between two reads of the checkpoint, in ms. The server signs about one a second. */
const INTERVAL_MS = 200

interface PayloadFlags {
  readonly payloads: boolean
  readonly plain: boolean
  readonly payloadKey: string | undefined
  readonly manifestKey: string | undefined
}

/** Returns the publisher of payloads, if the flags ask for one. @throws UsageError */
const payloadPublisher = async (
  { payloads, plain, payloadKey, manifestKey }: PayloadFlags,
  { connection, console, target }: { connection: Connection; console: Console; target: PublicationTarget }
): Promise<PayloadPublisher | undefined> => {
  if (!payloads) {
    if (plain || payloadKey !== undefined || manifestKey !== undefined)
      throw new UsageError('--plain, --payload-key and --manifest-key need --payloads')
    return undefined
  }
  if (plain === (payloadKey !== undefined))
    throw new UsageError('--payloads needs either --payload-key, the file of a key, or --plain')
  if (manifestKey === undefined)
    throw new UsageError('--payloads needs --manifest-key, the file of the key that signs the manifest')
  const seed = await readOrCreateKeyFile(manifestKey)
  if (plain)
    console.err.write(
      'annals: warning: payloads are published without encryption: everyone who can read the folder can read all keys, values, policies and reasons\n'
    )
  return new PayloadPublisher({
    source: recordSource(connection),
    target,
    cipher: payloadKey === undefined ? PLAIN : payloadCipher(await readOrCreateKeyFile(payloadKey)),
    signerOf: ({ origin }) => noteSigner(manifestOrigin(origin), seed)
  })
}

export const buildPublish = remoteCommand({
  summary: 'Publish the log of a server to a folder, for any web server, object store or CDN.',
  about:
    'The command writes entries, then tiles, then the checkpoint that covers them, in the layout of C2SP tlog-tiles. It verifies everything\nagainst the signed checkpoint. Files never change, except for the checkpoint, and partial tiles are removed once the full ones are there.\nAn interrupted command can be repeated. One command at a time may write to a folder. Requires operator:read.',
  examples: [
    'annals log publish /var/www/log',
    'annals log publish /var/www/log -watch -key "$(cat log.vkey)"',
    'annals log publish /var/www/log -payloads -payload-key payload.key -manifest-key manifest.key'
  ],
  args: { folder: required('folder of the published log, which may be empty or new') },
  flags: {
    watch: on('continue with each new checkpoint, until Ctrl-C'),
    key: texts('vkey', 'public key of the log; default: the one that the server names'),
    payloads: on(
      'also publish the parts of commits and the base snapshot, without secrets; requires acl:write'
    ),
    payloadKey: text('file', 'key that encrypts the payloads, 32 bytes in Base64; created if missing'),
    manifestKey: text(
      'file',
      'key that signs the manifest of the payloads, 32 bytes in Base64; created if missing'
    ),
    plain: on('publish the payloads without encryption')
  },
  printsNotes: true,
  run: async ({ connection, console, out, args, flags }) => {
    const source = serverFiles(connection)
    const vkeys =
      flags.key.length > 0
        ? flags.key
        : [(await requiredFile(source, 'checkpoint/key', MAX_NOTE_BYTES)).toString().trim()]
    const target = new PublishedFolder(args.folder)
    const payloads = await payloadPublisher(flags, { connection, console, target })
    const publisher = new Publisher({ source, target, keys: keysOf(vkeys), payloads })
    let vkey: string | undefined
    const publish = async (): Promise<void> => {
      const { head, isNew } = await publisher.publish()
      if (isNew) out.note(`published ${head.size} commits of ${head.origin}`)
      if (payloads?.vkey !== vkey) {
        vkey = payloads?.vkey
        out.note(`the manifest of the payloads is signed by ${vkey}`)
      }
    }
    if (!flags.watch) return publish()
    await runUntilInterrupted(signal =>
      follow(
        {
          attempt: async heard => {
            await publish()
            heard()
          },
          failed: (error, isNew) => {
            // Commits that were pruned meanwhile are in the base snapshot of the next attempt.
            if (!(error instanceof SourceUnavailable) && !hasStatus(error, 410)) throw error
            if (isNew) console.err.write(`annals: ${messageOf(error)}; trying again\n`)
          },
          interval: INTERVAL_MS,
          pause: (ms, end) => setTimeout(ms, undefined, { signal: end }).catch(() => {})
        },
        signal
      )
    )
  }
})
