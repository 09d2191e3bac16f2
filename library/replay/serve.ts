import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Clock } from '../../actors/clock.js'
import { Committer } from '../../actors/committer.js'
import { Refusal } from '../../actors/refusal.js'
import type { EventLog } from '../../events/log/log.js'
import { LogPrefixView } from '../../events/log/log-prefix-view.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import { parseTime } from '../../events/time.js'
import { compose } from '../../server/compose.js'
import { LiveSettings, type Settings } from '../../server/settings/settings.js'
import { ImpactThread } from '../../http/routes/acl/impact/impact-thread.js'
import { HttpServer } from '../../http/wire/sockets/server.js'
import { Views } from '../../projections/read-models.js'
import { FilesLog } from '../files-log.js'
import type { Replayed } from './replay.js'

export interface ServeOptions {
  /** Port on 127.0.0.1. Default: any free port. */
  readonly port?: number
  /** Secret with all read permissions, besides the tokens of the log. Default: a random one. */
  readonly token?: string
}

/** A listening server, until `close` or the end of its `await using` block. */
export interface ServedLog extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string
  readonly token: string
  close(): Promise<void>
}

/** Always returns the time of the last commit. */
class StandingClock extends Clock {
  constructor(private readonly time: number) {
    super()
  }

  override now(): number {
    return this.time
  }
}

class ReadOnlyCommitter extends Committer {
  override assertWritable(): void {
    throw new Refusal(
      'log.unavailable',
      'This server shows what was and takes no writes: nothing was changed'
    )
  }

  override isDurable(): boolean {
    return true
  }
}

const prefixOf = async ({ reader }: FilesLog, index: number): Promise<EventLog> => {
  const { store, vault } = reader.files
  return new LogPrefixView(store, vault, { index, hash: Buffer.from(await reader.hashAt(index), 'hex') })
}

/** Returns the log up to the commit. A log of another server cannot be streamed. */
const pastOf = async ({ log, index }: Replayed): Promise<EventLog> =>
  log instanceof FilesLog ? prefixOf(log, index) : new MemoryEventLog()

/**
 * Serves every GET of the API as of the replayed commit, with its indexes, and with the tokens' permissions at that commit (if the log was
 * opened with secrets).
 * @throws ListenError if the port is taken
 */
export const serve = async (
  replayed: Replayed,
  { port = 0, token = randomUUID() }: ServeOptions = {}
): Promise<ServedLog> => {
  const { views, time } = replayed
  const folder = await mkdtemp(join(tmpdir(), 'annals-past-'))
  const settings: Settings = {
    ...replayed.settings,
    data_dir: folder,
    ports: { ...replayed.settings.ports, http: port }
  }
  const log = await pastOf(replayed)
  const scope = compose(new LiveSettings(() => settings), log)
  scope.registerInstance(Views, views)
  scope.registerInstance<Clock>(Clock, new StandingClock(parseTime(time) ?? 0))
  scope.registerInstance<Committer>(Committer, new ReadOnlyCommitter(log, views))
  views.resolver.admit(token)
  const server = scope.resolve(HttpServer)
  const { port: listening = 0 } = await server.listen()
  const end = async (): Promise<void> => {
    await server.close()
    await scope.resolve(ImpactThread).close()
    await log.close()
    await rm(folder, { recursive: true, force: true })
  }
  let ended: Promise<void> | undefined
  const close = (): Promise<void> => (ended ??= end())
  return { url: `http://127.0.0.1:${listening}`, token, close, [Symbol.asyncDispose]: close }
}
