// `annals log publish`: writes the public files of a server's log to a folder, for web servers, object stores and CDNs.
import { setTimeout } from 'node:timers/promises'
import { hasStatus } from '../../clients/cli/failures.js'
import { runUntilInterrupted } from '../../clients/cli/remote/child.js'
import { remoteCommand } from '../../clients/cli/remote/command.js'
import { on, required, texts } from '../../clients/cli/remote/flags.js'
import type { Connection } from '../../clients/typescript/connection.js'
import { messageOf } from '../../events/errors.js'
import { follow } from '../../events/log/follow.js'
import { PublishedFolder } from '../publication/published-folder.js'
import { httpFiles, requiredFile, SourceUnavailable, type PublicFiles } from '../publication/public-files.js'
import { Publisher } from '../publication/publisher.js'
import { MAX_NOTE_BYTES } from '../publication/verified-tree.js'
import { keysOf } from './evidence/trusted-inputs.js'

/** Time between two reads of the checkpoint, in ms. The server signs about one a second. */
const INTERVAL_MS = 200

/** The public files of a server. Refused requests end the command. */
const serverFiles = (connection: Connection): PublicFiles =>
  httpFiles(`${connection.address}/v1/event`, async path => {
    try {
      return await connection.request('GET', `/v1/event/${path}`)
    } catch (error) {
      if (hasStatus(error, 404)) return undefined
      throw error
    }
  })

export const buildPublish = remoteCommand({
  summary: 'Publish the log of a server to a folder, for any web server, object store or CDN.',
  about:
    'The command writes entries, then tiles, then the checkpoint that covers them, in the layout of C2SP tlog-tiles. It verifies everything\nagainst the signed checkpoint. Files never change, except for the checkpoint, and partial tiles are removed once the full ones are there.\nAn interrupted command can be repeated. One command at a time may write to a folder. Requires operator:read.',
  examples: [
    'annals log publish /var/www/log',
    'annals log publish /var/www/log -watch -key "$(cat log.vkey)"'
  ],
  args: { folder: required('folder of the published log, which may be empty or new') },
  flags: {
    watch: on('continue with each new checkpoint, until Ctrl-C'),
    key: texts('vkey', 'public key of the log; default: the one that the server names')
  },
  printsNotes: true,
  run: async ({ connection, console, out, args, flags }) => {
    const source = serverFiles(connection)
    const vkeys =
      flags.key.length > 0
        ? flags.key
        : [(await requiredFile(source, 'checkpoint/key', MAX_NOTE_BYTES)).toString().trim()]
    const target = new PublishedFolder(args.folder)
    const publisher = new Publisher({ source, target, keys: keysOf(vkeys) })
    const publish = async (): Promise<void> => {
      const { head, isNew } = await publisher.publish()
      if (isNew) out.note(`published ${head.size} commits of ${head.origin}`)
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
            if (!(error instanceof SourceUnavailable)) throw error
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
