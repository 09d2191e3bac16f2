// Imports the primary datacenter's resources while this server leads. Reconnects whenever a connection ends (spec: auth.md §11).
import { messageOf } from '../../../events/errors.js'
import type { IncomingMessage } from 'node:http'
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock, Timers } from '../../../actors/clock.js'
import { Committer } from '../../../actors/committer.js'
import { follow } from '../../../events/log/follow.js'
import type { LeaderProcess } from '../../../actors/processes/leader-processes.js'
import { Refusal } from '../../../actors/refusal.js'
import { ActorSystem } from '../../../actors/system.js'
import { Views } from '../../../projections/read-models.js'
import { DatacenterRequests } from '../datacenters/datacenter-requests.js'
import { refusalOf } from '../datacenters/remote-json-requests.js'
import { Metrics } from '../../telemetry/metrics/metrics.js'
import { AgentTokens } from '../../settings/agent-tokens.js'
import { LOGGER, SETTINGS } from '../../settings/ports.js'
import { isSecure, sharedKey } from '../../settings/datacenters.js'
import type { Settings } from '../../settings/settings.js'
import { ReplicationConnection } from './replication-connection.js'
import { parseFeedMessage, REPLICATION_PATH } from './replication-messages.js'
import { ReplicationStatus } from './replication-status.js'
import { newNonce, lineDecryption } from './encrypted-lines.js'
import { ReplicationImporter } from './replication-importer.js'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** Longer than any message, which exceeds its limits by at most one resource. */
const LONGEST_LINE = 128 * 1024 * 1024

/** Yields the complete lines of each chunk. @param open decrypts a line, or throws @throws Error if a line is too long, or the answer breaks off */
export async function* decryptedLines(
  answer: Readable,
  open: (text: string) => string
): AsyncGenerator<readonly string[]> {
  const decoder = new StringDecoder('utf8')
  let parts: string[] = []
  let length = 0
  for await (const chunk of answer) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('an answer without bytes')
    const pieces = decoder.write(chunk).split('\n')
    const last = pieces.pop() ?? ''
    const lines: string[] = []
    for (const piece of pieces) {
      lines.push(open([...parts, piece].join('')))
      ;[parts, length] = [[], 0]
    }
    parts.push(last)
    length += last.length
    if (length > LONGEST_LINE) throw new Error('the primary sent a line that is too long')
    yield lines
  }
}

/** Minimum time between the starts of two attempts. */
const ATTEMPT_MS = 1000
/** Limit of the primary's error text, in characters. */
const LONGEST_REASON = 500

/** An expected failure, shown in the replication status. */
class ReplicationFailed extends Error {
  override readonly name = 'ReplicationFailed'
}

@scoped(Lifecycle.ContainerScoped)
export class ReplicationFollower implements LeaderProcess {
  readonly status: ReplicationStatus
  readonly #primary: string
  readonly #wantsTokens: boolean
  readonly #count: (kind: string) => void
  #stopping = new AbortController()
  /** Ends the current pause or connection. */
  #again: () => void = () => {}

  constructor(
    @inject(SETTINGS) private readonly settings: Settings,
    private readonly requests: DatacenterRequests,
    private readonly views: Views,
    private readonly system: ActorSystem,
    private readonly committer: Committer,
    private readonly clock: Clock,
    private readonly timers: Timers,
    private readonly tokens: AgentTokens,
    metrics: Metrics,
    @inject(LOGGER) private readonly logger: Logger
  ) {
    this.#primary = settings.primary_datacenter
    this.#wantsTokens = settings.acl.enable_token_replication
    this.status = new ReplicationStatus(this.#primary, this.#wantsTokens, () => clock.now())
    this.#count = metrics.counter(
      'annals_replication_failures_total',
      'Attempts to take over what the primary datacenter has that came to nothing: refused, or broken off',
      'kind'
    )
    tokens.signals.on('changed', token => {
      if (token === 'replication') this.#again()
    })
  }

  start(): void {
    this.#stopping = new AbortController()
    this.status.isRunning = true
    void this.#run(this.#stopping.signal)
  }

  stop(): void {
    this.status.isRunning = false
    this.#stopping.abort()
    this.#again()
  }

  /** A new token begins another series of attempts at once. */
  async #run(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const again = new AbortController()
      this.#again = () => again.abort()
      const signal = AbortSignal.any([stopped, again.signal])
      await follow(
        {
          attempt: heard => this.#attempt(signal, heard),
          failed: (error, isNew) => {
            if (!signal.aborted) this.#fail(error, isNew)
          },
          interval: ATTEMPT_MS,
          pause: (ms, ended) => this.timers.pause(ms, ended)
        },
        signal
      )
    }
  }

  #fail(error: unknown, isNew: boolean): void {
    const message = messageOf(error)
    const isExpected = error instanceof ReplicationFailed || error instanceof Refusal
    this.#count(isExpected ? 'refused' : 'broken')
    this.status.failed(message)
    // The same failure is not logged again each second.
    if (!isNew) return
    this.logger.warn(
      isExpected ? { reason: message } : { err: error },
      'the primary datacenter cannot be replicated now'
    )
  }

  /** Runs one connection from its request to its end. */
  async #attempt(signal: AbortSignal, heard: () => void): Promise<void> {
    const token = this.tokens.secretFor(this.#primary)
    // With ACLs, replication needs a token.
    if (token === undefined && this.settings.acl.enabled) return
    await this.committer.writable(signal)
    await this.committer.readable()
    // After a restore, the complete state is compared with the primary.
    if (signal.aborted || this.views.restore.current) return
    const connection = new ReplicationConnection(this.timers, this.committer, signal)
    try {
      const nonce = newNonce()
      const open = this.#opening(nonce)
      const answer = await this.#ask(token, nonce, connection.signal)
      // The end of the connection also ends the answer.
      if (connection.signal.aborted) answer.destroy()
      connection.signal.addEventListener('abort', () => answer.destroy(), { once: true })
      await this.#takeAll(decryptedLines(answer, open), connection, heard)
    } catch (error) {
      if (connection.wasSilent)
        throw new ReplicationFailed(`the primary datacenter "${this.#primary}" has fallen silent`)
      if (!connection.signal.aborted) throw error
    } finally {
      connection.close()
    }
  }

  /** Returns the decoder of lines: decryption with the key, or none if certificates protect the connection. */
  #opening(nonce: string): (text: string) => string {
    const key = sharedKey(this.settings)
    if (key) return lineDecryption(key, nonce)
    const remote = this.settings.datacenters[this.#primary]
    if (!remote || !isSecure(remote))
      throw new ReplicationFailed(
        'replication.key is not set, and not all URLs of the primary datacenter begin with https:'
      )
    return line => line
  }

  async #ask(token: string | undefined, nonce: string, signal: AbortSignal): Promise<IncomingMessage> {
    const { position } = this.views.replication
    const query = new URLSearchParams()
    if (this.settings.replication.key !== undefined) query.set('nonce', nonce)
    if (this.#wantsTokens) query.set('tokens', '')
    const isWhole = position && !position.LeftOut && (position.WithTokens || !this.#wantsTokens)
    if (isWhole && position.Datacenter === this.#primary) {
      query.set('log', position.Log)
      query.set('incarnation', String(position.Incarnation))
      query.set('after', String(position.Index))
      query.set('hash', position.Hash)
    }
    const url = `${REPLICATION_PATH}?${query.toString()}`
    const headers = token === undefined ? [] : ['X-Service-Token', token]
    const { answer } = await this.requests.send(
      this.#primary,
      { method: 'GET', url, headers, isLong: true },
      signal
    )
    if (answer.statusCode === 200) return answer
    const { text: said } = await refusalOf(this.#primary, answer)
    const kind = said.startsWith('ACL not found') && this.#wantsTokens ? 'tokens' : 'policies'
    throw new ReplicationFailed(
      `failed to retrieve remote ACL ${kind}: rpc error making call: ${said.slice(0, LONGEST_REASON)}`
    )
  }

  async #takeAll(
    lines: AsyncIterable<readonly string[]>,
    connection: ReplicationConnection,
    heard: () => void
  ): Promise<void> {
    const importer = new ReplicationImporter({
      views: this.views,
      system: this.system,
      clock: this.clock,
      status: this.status,
      logger: this.logger,
      primary: this.#primary,
      wantsTokens: this.#wantsTokens
    })
    let written = Promise.resolve()
    for await (const some of connection.listen(lines)) {
      heard()
      for (const line of some) {
        if (connection.signal.aborted) return
        await importer.take(parseFeedMessage(line))
        if (importer.needsFullTransfer) connection.endLater()
      }
      // Earlier changes must be durable before more is read, while the disk works in parallel.
      await written
      written = this.committer.durable()
      written.catch(() => {})
    }
    await written
  }
}
