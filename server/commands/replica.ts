// `annals replica`: a server that follows a published log or another server, and verifies every commit.
import 'reflect-metadata'
import type { Command } from 'commander'
import { UsageError, type Console, hasStatus } from '../../clients/cli/console.js'
import { connectionOf } from '../../clients/cli/remote/connection-options.js'
import type { Connection } from '../../clients/typescript/connection.js'
import { isObject } from '../../events/values.js'
import { parseVkey, MalformedNote, type NoteKey } from '../../events/log/evidence/note-keys.js'
import { recover } from '../../events/errors.js'
import { readKeyFile } from '../publication/key-file.js'
import { payloadCipher, PLAIN } from '../publication/payload-cipher.js'
import { folderFiles, httpFiles, type PublicFiles } from '../publication/public-files.js'
import { publishedSource, serverSource, type ReplicaSource } from '../replica/replica-source.js'
import type { AccessorOf } from '../replica/source-tokens.js'
import { CHECKPOINT_FILE, MAX_NOTE_BYTES } from '../publication/verified-tree.js'
import { isLocalServer } from '../settings/listeners.js'
import { LiveSettings } from '../settings/settings.js'
import { periodOption } from './log-options.js'
import { recordSource, serverFiles } from './server-source.js'
import { withSettings } from './serve.js'

/** A source must answer about a token within this time. */
const TOKEN_MS = 2000
const INTERVAL_MS = 500

const DESCRIPTION = `Run a server that follows a published log or another server, and answers reads, history, proofs and streams from it.
It verifies every commit against the signed checkpoints before it shows it, and refuses writes. A source that was tampered with ends it
with exit code 1 at the first bad commit. The options of \`annals serve\` apply, too.`

const EXAMPLES = `
Examples:
  annals replica --from https://log.example --key "$(cat log.vkey)" --manifest-key "$(cat manifest.vkey)" --payload-key payload.key --tokens https://a.example:8500
  annals replica --from http://10.0.0.1:8500 --key "$(cat log.vkey)" --token-file token
  annals replica --from /var/www/log --key "$(cat log.vkey)" --manifest-key "$(cat manifest.vkey)" --trust-local`

interface ReplicaFlags {
  readonly from: string
  readonly key: string
  readonly manifestKey?: string
  readonly payloadKey?: string
  readonly tokenFile?: string
  readonly caFile?: string
  readonly tokens?: string
  readonly trustLocal?: true
  readonly interval: number
}

const keyOf = (option: string, vkey: string): NoteKey =>
  recover(
    () => parseVkey(vkey),
    MalformedNote,
    error => {
      throw new UsageError(`${option}: ${error.message}`)
    }
  )

/** A web server with a published log answers without a token. */
const webFiles = (connection: Connection): PublicFiles =>
  httpFiles(connection.address, async path => {
    try {
      return await connection.with({ token: undefined }).request('GET', `/${path}`)
    } catch (error) {
      if (hasStatus(error, 404)) return undefined
      throw error
    }
  })

const isUrl = (from: string): boolean => /^(https?|unix):\/\//u.test(from)

/** Returns the source, which is a published log if it has a checkpoint at its root. @throws UsageError SourceUnavailable */
const sourceOf = async (
  { from, manifestKey, payloadKey }: ReplicaFlags,
  connection: Connection
): Promise<{ readonly source: ReplicaSource; readonly isServer: boolean }> => {
  const files = isUrl(from) ? webFiles(connection) : folderFiles(from.replace(/^file:\/\//u, ''))
  const isServer = isUrl(from) && (await files.read(CHECKPOINT_FILE, MAX_NOTE_BYTES)) === undefined
  if (isServer) return { source: serverSource(serverFiles(connection), recordSource(connection)), isServer }
  if (manifestKey === undefined)
    throw new UsageError(
      '--manifest-key is missing: the public key of the manifest of the published payloads'
    )
  const cipher = payloadKey === undefined ? PLAIN : payloadCipher(await readKeyFile(payloadKey))
  return {
    source: publishedSource(files, { manifestKey: keyOf('--manifest-key', manifestKey), cipher }),
    isServer
  }
}

/** Asks a server which token has a secret. */
export const accessorsAt =
  (connection: Connection): AccessorOf =>
  async secret => {
    try {
      const signal = AbortSignal.timeout(TOKEN_MS)
      const asking = connection.with({ token: secret, retries: 0 })
      const token = await (await asking.request('GET', '/v1/acl/token/self', { signal })).json()
      return isObject(token) && typeof token['AccessorID'] === 'string' ? token['AccessorID'] : undefined
    } catch (error) {
      if (hasStatus(error, 403)) return undefined
      throw error
    }
  }

/** @throws UsageError unless exactly one authority of tokens is known */
const accessorOf = (
  { tokens, trustLocal }: ReplicaFlags,
  isServer: boolean,
  connection: Connection,
  tokenConnection: Connection | undefined
): AccessorOf | undefined => {
  if (trustLocal) {
    if (tokens !== undefined) throw new UsageError('--tokens and --trust-local exclude each other')
    return undefined
  }
  if (tokenConnection) return accessorsAt(tokenConnection)
  if (isServer) return accessorsAt(connection)
  throw new UsageError('a published log knows no tokens: name a server (--tokens URL), or use --trust-local')
}

/** Without access control, only processes of this machine may connect. @throws UsageError */
const trustingLocal = (live: LiveSettings): LiveSettings => {
  if (!isLocalServer(live.current))
    throw new UsageError('--trust-local needs listeners on loopback addresses only')
  return new LiveSettings(() => {
    const settings = live.load()
    return { ...settings, acl: { ...settings.acl, enabled: false } }
  })
}

const run = async (settings: LiveSettings, flags: ReplicaFlags, { env }: Console): Promise<void> => {
  const { from, tokenFile, caFile, tokens, trustLocal, interval } = flags
  const connect = (httpAddr: string): Promise<Connection> =>
    connectionOf({ httpAddr, tokenFile, caFile }, env)
  const connection = await connect(isUrl(from) ? from : 'localhost')
  const { source, isServer } = await sourceOf(flags, connection)
  const tokenConnection = tokens === undefined ? undefined : await connect(tokens)
  const authority = accessorOf(flags, isServer, connection, tokenConnection)
  const live = trustLocal ? trustingLocal(settings) : settings
  const { current } = live
  if (current.workers > 0 || current.cluster.enabled)
    throw new UsageError('a replica has neither workers nor a cluster: workers, cluster.enabled')
  const [{ serve }, { startReplica }] = await Promise.all([
    import('./run-server.js'),
    import('../replica/start-replica.js')
  ])
  await serve(live, (own, { report, fatal }) =>
    startReplica(own, {
      source,
      key: keyOf('--key', flags.key),
      interval,
      accessorOf: authority,
      report,
      fatal,
      onRefused: () => process.exit(1)
    })
  )
}

export const buildReplica = (command: Command, console: Console): void => {
  command
    .description(DESCRIPTION)
    .requiredOption('--from <place>', 'URL or folder of a published log with payloads, or URL of a server')
    .requiredOption('--key <vkey>', 'public key of the log, from GET /v1/event/checkpoint/key')
    .option('--manifest-key <vkey>', 'public key of the manifest of published payloads')
    .option('--payload-key <file>', 'file of the key of encrypted payloads')
    .option('--token-file <file>', 'file with the SecretID of a token of the server, with acl:write')
    .option('--ca-file <file>', 'PEM file with the certificates of trusted authorities')
    .option('--tokens <url>', 'server that authenticates tokens; default: the server of --from')
    .option('--trust-local', 'no access control, for processes of this machine only')
    .addOption(
      periodOption('--interval <duration>', 'time between two reads of the checkpoint', INTERVAL_MS, '500ms')
    )
    .addHelpText('after', EXAMPLES)
  const settingsOf = withSettings(command, console)
  command.action(() => run(settingsOf(), command.opts<ReplicaFlags>(), console))
}
