// A replica in this process.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Clock, Deadlines } from '../../actors/clock.js'
import { Connection } from '../../clients/typescript/connection.js'
import { parseVkey } from '../../events/log/evidence/note-keys.js'
import type { EventLog } from '../../events/log/log.js'
import { accessorsAt } from '../../server/commands/replica.js'
import { recordSource, serverFiles } from '../../server/commands/server-source.js'
import { type ReplicaSource, serverSource } from '../../server/replica/replica-source.js'
import { SetClock } from '../../library/testing/set-clock.js'
import { startReplica } from '../../server/replica/start-replica.js'
import { EVENT_LOG } from '../../server/settings/ports.js'
import { LiveSettings } from '../../server/settings/settings.js'
import { loadSettings } from '../../server/settings/load.js'
import type { RunningServer } from '../../server/running-server.js'
import { send, type TestRequestOptions, type TestResponse } from './client.js'
import { temporaryFolder, type Scope } from './process.js'
import { ROOT } from './server.js'
import { until } from './wait.js'

interface ReplicaOptions {
  readonly source: ReplicaSource
  readonly vkey: string
  /** Address of the server that authenticates tokens; undefined for no access control. */
  readonly tokens: string | undefined
  readonly dataDir?: string
  /** Time between two reads of the checkpoint, in ms; default: 20. */
  readonly interval?: number
  readonly downPolicy?: string
}

interface TestReplica {
  readonly running: RunningServer
  readonly base: string
  readonly log: EventLog
  /** Why the source was refused, once it was. */
  readonly refused: () => Error | undefined
  readonly send: (method: string, path: string, options?: TestRequestOptions) => Promise<TestResponse>
  /** Advances the time, in ms. */
  readonly advance: (ms: number) => void
  /** Resolves when it shows so many commits and their checkpoint. */
  readonly shows: (size: number) => Promise<void>
  readonly close: () => Promise<void>
}

const connectionTo = (address: string): Connection => new Connection({ address, token: ROOT })

/** A server as the source of a replica. */
export const sourceAt = (address: string): ReplicaSource => {
  const connection = connectionTo(address)
  return serverSource(serverFiles(connection), recordSource(connection))
}

/** Starts a replica. It ends with the scope. */
export const replicaInProcess = async (
  t: Scope,
  { source, vkey, tokens, dataDir, interval = 20, downPolicy = 'extend-cache' }: ReplicaOptions
): Promise<TestReplica> => {
  const file = join(temporaryFolder(t), 'replica.json')
  writeFileSync(
    file,
    JSON.stringify({
      data_dir: dataDir ?? join(temporaryFolder(t), 'replica'),
      bind: '127.0.0.1',
      ports: { http: 0, dns: -1 },
      log: { level: 'silent' },
      acl: { enabled: tokens !== undefined, default_policy: 'deny', down_policy: downPolicy }
    })
  )
  const clock = new SetClock()
  let refusal: unknown
  const running = await startReplica(new LiveSettings(() => loadSettings({ file, env: {}, flags: {} })), {
    source,
    key: parseVkey(vkey),
    interval,
    accessorOf: tokens === undefined ? undefined : accessorsAt(connectionTo(tokens)),
    onRefused: error => (refusal = error),
    override: scope => scope.registerInstance<Clock>(Clock, clock)
  })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= running.close())
  t.teardown(close)
  const base = `http://127.0.0.1:${running.port}`
  const refused = (): Error | undefined => (refusal instanceof Error ? refusal : undefined)
  return {
    running,
    base,
    refused,
    log: running.scope.resolve(EVENT_LOG),
    advance: ms => {
      clock.advance(ms)
      running.scope.resolve(Deadlines).look()
    },
    send: (method, path, options) => send(base, method, path, { token: ROOT, ...options }),
    shows: async size => {
      await until(`the replica shows ${size} commits`, async () => {
        const reason = refused()
        if (reason) throw reason
        const { status, text } = await send(base, 'GET', '/v1/event/checkpoint', {})
        return status === 200 && Number(text.split('\n')[1]) >= size
      })
    },
    close
  }
}
