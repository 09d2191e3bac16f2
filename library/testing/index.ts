// `annals/testing`: a server in this process whose time and log are the test's.
// Without names, the declarations omit this package, which is only in the bundle.
// oxlint-disable-next-line unicorn/require-module-specifiers, import/no-empty-named-blocks
import {} from 'reflect-metadata'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Clock, Deadlines } from '../../actors/clock.js'
import { startServer } from '../../server/running-server.js'
import { loadSettings } from '../../server/settings/load.js'
import { LiveSettings } from '../../server/settings/settings.js'
import type { CommitRange, ReadableLog } from '../log.js'
import type { CustomProjection } from '../project.js'
import { memoryLog, type EventInput, type MemoryLog } from './memory-log.js'
import { SetClock } from './set-clock.js'

/** The initial time of tests: 2026-01-01T00:00:00Z. */
const BEGIN = Date.UTC(2026, 0, 1)

export interface TestServerOptions {
  /** Settings by their flags, such as `{ 'acl-default-policy': 'allow' }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** The initial time. Default: the beginning of 2026. */
  readonly at?: Date
}

/** A server that runs until `close` or the end of its `await using` block. */
export interface TestServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string
  /** Secret of a management token. */
  readonly token: string
  readonly log: MemoryLog
  /** Sends a request, with the management token unless the headers have another. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Advances the time, which otherwise stands still, in ms, and runs everything that is then due. */
  advance(ms: number): void
  close(): Promise<void>
}

export interface Given {
  /** Starts a server whose log begins with the events. */
  server(options?: TestServerOptions): Promise<TestServer>
  /** Creates only the log. */
  log(): Promise<MemoryLog>
}

const start = async (
  events: readonly EventInput[],
  { settings = {}, at = new Date(BEGIN) }: TestServerOptions
): Promise<TestServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'annals-test-'))
  const clock = new SetClock({ runs: false })
  clock.setBy(at.getTime() - clock.now())
  const token = randomUUID()
  const env = { ANNALS_ACL_TOKENS_INITIAL_MANAGEMENT: token }
  const flags = {
    'data-dir': folder,
    'http-port': '0',
    'dns-port': '-1',
    'log-level': 'silent',
    'acl-enabled': 'true',
    'acl-default-policy': 'deny',
    ...settings
  }
  const log = await memoryLog(events, at.getTime())
  const live = new LiveSettings(() => loadSettings({ env, flags }))
  const running = await startServer(live, log.events, scope => scope.registerInstance<Clock>(Clock, clock))
  const url = `http://127.0.0.1:${running.port ?? 0}`
  const end = async (): Promise<void> => {
    await running.close()
    await rm(folder, { recursive: true, force: true })
  }
  let ended: Promise<void> | undefined
  const close = (): Promise<void> => (ended ??= end())
  return {
    url,
    token,
    log,
    fetch: (path, init = {}) => {
      const headers = new Headers(init.headers)
      if (!headers.has('x-service-token')) headers.set('x-service-token', token)
      return fetch(url + path, { ...init, headers })
    },
    advance: ms => {
      clock.advance(ms)
      running.scope.resolve(Deadlines).look()
    },
    close,
    [Symbol.asyncDispose]: close
  }
}

/** Begins a test with events, each in its own commit; without any, with an empty log. */
export const given = (...events: readonly EventInput[]): Given => ({
  server: (options = {}) => start(events, options),
  log: () => memoryLog(events, BEGIN)
})

export interface GivenLog {
  /** Resolves with the state that a projection gives, for an assertion of any test runner. */
  when<State>(projection: Pick<CustomProjection<State>, 'latest'>): Promise<State>
}

/** Begins a test with the commits of a log: `await givenLog(log).when(policies).then(state => …)`. */
export const givenLog = (log: ReadableLog, range: CommitRange = {}): GivenLog => ({
  when: projection => projection.latest(log, range)
})

export { MemoryLog, type EventInput as GivenEvent } from './memory-log.js'
