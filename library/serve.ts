// A server that shows what a log had made at one of its commits, and takes no writes.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Clock } from '../actors/clock.js'
import { Committer } from '../actors/committer.js'
import { Refusal } from '../actors/refusal.js'
import type { EventLog } from '../events/log/log.js'
import { MemoryEventLog } from '../events/log/memory.js'
import { parseTime } from '../events/time.js'
import { compose } from '../server/compose.js'
import { LiveSettings } from '../server/settings/live-settings.js'
import type { Settings } from '../server/settings/settings.js'
import { HttpServer } from '../http/wire/sockets/server.js'
import { Views } from '../projections/read-models.js'
import { FilesLog } from './files-log.js'
import type { Replayed } from './replay.js'

export interface ServeOptions {
  /** Port on 127.0.0.1; any that is free when absent. */
  readonly port?: number
  /** Secret that may read everything, besides the tokens of the log; a random one when absent. */
  readonly token?: string
}

/** A server that listens; it ends with `close`, or with its `await using` block. */
export interface ServedLog extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string
  readonly token: string
  close(): Promise<void>
}

/** It is always the moment of the last commit. */
class StandingClock extends Clock {
  constructor(private readonly moment: number) {
    super()
  }

  override now(): number {
    return this.moment
  }
}

/** Refuses every command. */
class ReadOnlyCommitter extends Committer {
  override assertWritable(): void {
    throw new Refusal('unavailable', 'This server shows what was and takes no writes: nothing was changed')
  }

  override isDurable(): boolean {
    return true
  }
}

/** The log up to the commit; of a log that is elsewhere nothing can be streamed. */
const pastOf = async ({ log, index }: Replayed): Promise<EventLog> =>
  log instanceof FilesLog ? log.upTo(index) : new MemoryEventLog()

/**
 * Serves every GET of the API as it was answered at the commit that was replayed to: the same answers with the same indexes, and tokens
 * with the rights they had (where the log was opened with secrets).
 * @throws ListenError when the port is taken
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
    await log.close()
    await rm(folder, { recursive: true, force: true })
  }
  let ended: Promise<void> | undefined
  const close = (): Promise<void> => (ended ??= end())
  return { url: `http://127.0.0.1:${listening}`, token, close, [Symbol.asyncDispose]: close }
}
