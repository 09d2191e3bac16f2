// Sends requests to other datacenters by name, to one reachable server there.
import type { IncomingMessage } from 'node:http'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Clock, Timers } from '../../../actors/clock.js'
import { OutgoingTls } from '../../../actors/outgoing/destinations.js'
import { Refusal } from '../../../actors/refusal.js'
import { Metrics } from '../../telemetry/metrics/metrics.js'
import type { RequestAttempt, OutgoingRequest } from '../transport/server-connections.js'
import { SETTINGS } from '../../settings/ports.js'
import type { Settings } from '../../settings/settings.js'
import { DATACENTER_HEADER, unknownDatacenter } from '../../../http/wire/datacenter-routing.js'
import { RemoteDatacenter } from './remote-datacenter.js'

/** Time in which one server of a datacenter must accept a connection. */
const REACH_MS = 2000

export interface OutgoingDatacenterRequest extends Omit<OutgoingRequest, 'connectMs'> {
  /** The request changes nothing there, whatever its method. Defaults to true for GET. */
  readonly isRead?: boolean
  /** The request may be sent again if its outcome is unknown. Defaults to true for reads. */
  readonly mayRepeat?: boolean
}

export type DatacenterResponse = Extract<RequestAttempt, { readonly answer: IncomingMessage }>

const changesNothing = ({ method, isRead = method === 'GET' }: OutgoingDatacenterRequest): boolean => isRead

const unreachable = (name: string): Refusal =>
  new Refusal(
    'datacenter.unreachable',
    `No path to datacenter: no server of "${name}" can be reached, and nothing was changed there`
  )

const lost = (name: string): Refusal =>
  new Refusal(
    'datacenter.outcome-unknown',
    `The outcome is not known: the connection to datacenter "${name}" was lost while the change was being made; see whether it is there before you repeat it`
  )

const abandoned = (): Refusal => new Refusal('datacenter.unavailable', 'The client has disconnected')

@scoped(Lifecycle.ContainerScoped)
export class DatacenterRequests {
  readonly #own: string
  readonly #remotes: ReadonlyMap<string, RemoteDatacenter>
  readonly #count: (outcome: string) => void

  constructor(
    @inject(SETTINGS) { datacenter: own, datacenters }: Settings,
    tls: OutgoingTls,
    timers: Timers,
    private readonly clock: Clock,
    metrics: Metrics
  ) {
    this.#own = own
    this.#remotes = new Map(
      Object.entries(datacenters).map(([name, remote]) => {
        const headers = [DATACENTER_HEADER, own]
        return [name, new RemoteDatacenter(name, remote, tls, timers, headers)]
      })
    )
    this.#count = metrics.counter(
      'annals_datacenter_requests_total',
      'Requests that were sent to another datacenter: answered, of unknown outcome, unreachable, or given up',
      'outcome'
    )
  }

  /** The other datacenters, in the order of the settings. */
  get remotes(): readonly RemoteDatacenter[] {
    return [...this.#remotes.values()]
  }

  /** Names are case-sensitive. */
  knows(name: string): boolean {
    return this.#remotes.has(name)
  }

  /**
   * Sends a request to one server after the other until one can be reached. A request that may not be repeated is never sent again
   * once it may have arrived.
   * @param gone cancels the request
   * @throws Refusal `invalid` for an unknown name; `unreachable` at the latest 2 s after no server could be reached; `unknown` if the
   *   connection broke or the server fell silent; `unavailable` if the request was canceled
   */
  async send(name: string, asked: OutgoingDatacenterRequest, gone: AbortSignal): Promise<DatacenterResponse> {
    const remote = this.#remotes.get(name)
    if (!remote) throw unknownDatacenter(name)
    const answered = await this.#tryAll(remote, asked, gone)
    if (typeof answered !== 'string') {
      this.#count('answered')
      return answered
    }
    const isUnknown = answered === 'broken' && !changesNothing(asked)
    if (gone.aborted && !isUnknown) {
      this.#count('given up')
      throw abandoned()
    }
    this.#count(isUnknown ? 'unknown' : 'unreachable')
    throw isUnknown ? lost(name) : unreachable(name)
  }

  /** Returns the first answer, or whether any bytes were sent without an answer. */
  async #tryAll(
    remote: RemoteDatacenter,
    asked: OutgoingDatacenterRequest,
    gone: AbortSignal
  ): Promise<DatacenterResponse | 'not-sent' | 'broken'> {
    const { mayRepeat = changesNothing(asked) } = asked
    const headers = [...(asked.headers ?? []), DATACENTER_HEADER, this.#own]
    const left = [...remote.addresses]
    let outcome: 'not-sent' | 'broken' = 'not-sent'
    let until = this.clock.elapsed() + REACH_MS
    for (let address = left.shift(); address !== undefined && !gone.aborted; address = left.shift()) {
      // A server that accepts no connection leaves time for the others.
      const connectMs = (until - this.clock.elapsed()) / (left.length + 1)
      if (connectMs <= 0) break
      const { signal: silence, close } = remote.silent.open(address)
      const signal = AbortSignal.any([gone, silence])
      const attempt = await remote.connections.send(address, { ...asked, headers, connectMs }, signal)
      if (attempt.kind === 'answered' || attempt.kind === 'upgraded') {
        const { kind } = attempt
        ;(kind === 'upgraded' ? attempt.socket : attempt.answer).once('close', close)
        remote.prefer(address)
        return attempt
      }
      close()
      if (attempt.kind === 'broken') {
        if (!mayRepeat) return 'broken'
        // The connection may have been a stale kept-alive one.
        if (outcome !== 'broken' && !silence.aborted) left.push(address)
        outcome = 'broken'
        until = this.clock.elapsed() + REACH_MS
      }
    }
    return outcome
  }
}
