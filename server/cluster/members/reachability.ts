// Probes the other members over HTTP and reports which of them this server cannot reach.
import type { Logger } from 'pino'
import type { KnownMember, Members } from '../../../actors/processes/members.js'
import type { Timers } from '../../../actors/clock.js'
import { Refusal } from '../../../actors/refusal.js'
import { type Member, SharedUnreachable } from '../../../events/log/cluster/shared-log.js'
import { recovery } from '../../../events/errors.js'
import { refusalIn } from '../transport/response-text.js'
import { REACH_PATH } from '../../../http/routes/internal/cluster.js'
import type { SignedRequests } from './signed-requests.js'

const OK = 200
const NOT_REACHED = 502
/** The answer of an earlier version. */
const UNKNOWN_ROUTE = 404
const PROBE_INTERVAL_MS = 1000
/** Timeout of a probe: connection and answer. */
const PROBE_MS = 1500
/** Timeout of a request to probe this server. */
const CALL_BACK_MS = 5000

export type Sender = Pick<SignedRequests, 'send'>

/** Returns the status and text of a member's answer, or undefined without one. */
const ask = async (
  sender: Sender,
  { address }: Pick<Member, 'address'>,
  method: 'GET' | 'PUT',
  signal: AbortSignal
): Promise<{ readonly status: number; readonly text: string } | undefined> => {
  const outgoing = { method, url: REACH_PATH, isLong: true, connectMs: PROBE_MS }
  const attempt = await sender.send(address, outgoing, signal)
  if (attempt.kind !== 'answered') return undefined
  const { statusCode: status = 0 } = attempt.answer
  try {
    return { status, text: await refusalIn(attempt.answer) }
  } catch {
    return undefined
  }
}

/** Returns why a member cannot be reached, or undefined. An unanswered probe is repeated once: the member may have just closed the connection. */
export const probe = async (
  sender: Sender,
  member: Pick<Member, 'id' | 'address'>,
  timers: Pick<Timers, 'abortAfter'>
): Promise<string | undefined> => {
  const signal = timers.abortAfter(PROBE_MS)
  const answer = (await ask(sender, member, 'GET', signal)) ?? (await ask(sender, member, 'GET', signal))
  if (!answer) return 'no connection, or no answer'
  if (answer.status === UNKNOWN_ROUTE) return undefined
  if (answer.status !== OK) return `status ${answer.status}, ${answer.text}`
  return answer.text === member.id ? undefined : `the server with node ID ${answer.text} answers there`
}

interface ReachabilityOptions {
  readonly members: Pick<Members, 'all' | 'get' | 'look'>
  readonly signed: Sender
  readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout' | 'abortAfter'>
  readonly logger: Pick<Logger, 'warn' | 'info'>
  readonly own: string
  readonly address: () => string
}

export class Reachability {
  /** The fault of each probed member, by ID. */
  #faults: ReadonlyMap<string, string | undefined> = new Map()
  #timer: string | undefined
  #isStopped = false
  /** Members that have probed this server. */
  readonly #calledBack = new Set<string>()

  constructor(private readonly options: ReachabilityOptions) {}

  /** IDs of the live members that this server cannot reach. */
  get unreachable(): readonly string[] {
    return [...this.#faults].flatMap(([id, fault]) => (fault === undefined ? [] : [id])).toSorted()
  }

  /** Returns why a member cannot be reached; undefined if it can be, or was not probed yet. */
  faultOf(id: string): string | undefined {
    return this.#faults.get(id)
  }

  start(): void {
    const again = (): void => {
      if (!this.#isStopped)
        this.#timer = this.options.timers.setTimeout(() => this.start(), PROBE_INTERVAL_MS)
    }
    this.#round().then(again, again)
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer !== undefined) this.options.timers.clearTimeout(this.#timer)
  }

  /**
   * Probes a server on its request. @returns why its advertised address cannot be reached, or undefined
   * @throws Refusal `unavailable` if the server is new and the shared log cannot be reached
   */
  async callBack(id: string): Promise<string | undefined> {
    const { members, signed, timers } = this.options
    // A new server may have announced itself after the last poll.
    if (!members.get(id))
      await members.look().catch(
        recovery(SharedUnreachable, ({ message }) => {
          throw new Refusal('cluster.unavailable', message)
        })
      )
    const known = members.get(id)
    if (!known) return 'it has not announced itself as a member'
    const fault = await probe(signed, known.member, timers)
    return fault === undefined ? undefined : `${known.member.address}: ${fault}`
  }

  get #others(): readonly Member[] {
    const isOther = ({ member, isLive }: KnownMember): boolean => isLive && member.id !== this.options.own
    return this.options.members.all.filter(isOther).map(({ member }) => member)
  }

  async #round(): Promise<void> {
    const { signed, timers } = this.options
    const others = this.#others
    const faults = await Promise.all(others.map(member => probe(signed, member, timers)))
    for (const [at, member] of others.entries()) this.#report(member, faults[at])
    this.#faults = new Map(others.map(({ id }, at) => [id, faults[at]]))
    await Promise.all(others.map(member => this.#askToCallBack(member)))
  }

  #report({ id, name, address }: Member, fault: string | undefined): void {
    const before = this.#faults.get(id)
    const { logger } = this.options
    if (fault !== undefined && before === undefined)
      logger.warn(`this server does not reach ${name} at ${address}: ${fault}`)
    if (fault === undefined && before !== undefined) logger.info(`this server reaches ${name} again`)
  }

  /** Asks each member once, as soon as this server reaches it. */
  async #askToCallBack(member: Member): Promise<void> {
    const { id, name } = member
    if (this.#calledBack.has(id) || this.faultOf(id) !== undefined) return
    const answer = await ask(this.options.signed, member, 'PUT', this.options.timers.abortAfter(CALL_BACK_MS))
    if (!answer || ![OK, NOT_REACHED, UNKNOWN_ROUTE].includes(answer.status)) return
    this.#calledBack.add(id)
    if (answer.status !== NOT_REACHED) return
    this.options.logger.warn(
      `${name} does not reach this server at ${this.options.address()} (cluster.advertise): ${answer.text}`
    )
  }
}
