// Forwards requests and WebSockets to the leader, and decides which reads this server may answer itself.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { ShutdownSignal } from '../../../http/wire/shutdown-signal.js'
import type { LeaderRequest, LeaderSocketRequest } from '../../../http/wire/request-routing.js'
import { refuseConnection } from '../../../http/wire/sockets/client-errors.js'
import { CLUSTER, type ClusterPort, type LeaderAddress } from './cluster-port.js'
import { LeaderRequests } from './leader-requests.js'
import { isReadRequest } from '../transport/retry-policy.js'
import { refusalOf, type ServerAnswer } from '../transport/response-text.js'
import { closeOnShutdown, pipeResponse, whileConnected, joinSockets } from '../transport/pipe-response.js'
import { parseMilliseconds } from '../../../events/duration.js'
import type { Settings } from '../../settings/settings.js'
import type { RequestContext } from '../../../http/wire/request-context.js'
import { Refusal } from '../../../actors/refusal.js'
import type { Route } from '../../../http/wire/route.js'

/** Returns true if the local read models can resolve the caller's token as far as the route needs it. */
const canResolveCaller = ({ access }: Route, request: RequestContext): boolean => {
  if (!access.resolvesToken) return true
  try {
    request.requireToken()
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** Answers from stale state, but with an unknown token first waits until this server is up to date, if possible. @param newest resolves when it is */
export const answerOnceTokenIsKnown = (
  route: Route,
  request: RequestContext,
  newest: () => Promise<'here'>
): 'here' | Promise<'here'> => {
  if (canResolveCaller(route, request)) return 'here'
  return newest().catch(() => 'here')
}

/** @param lastContact time since this server was proved up to date, in ms */
export const acceptsStale = ({ query }: RequestContext, lastContact: number): boolean => {
  if (query.isEmpty || query.has('consistent')) return false
  const bound = parseMilliseconds(query.get('max_stale') ?? '') ?? 0
  return bound > 0 ? lastContact <= bound : query.has('stale')
}

export const dnsAcceptsStale = (
  { dns_config: { allow_stale, max_stale } }: Pick<Settings, 'dns_config'>,
  lastContact: number
): boolean => allow_stale && lastContact <= max_stale

@scoped(Lifecycle.ContainerScoped)
export class Forwarding {
  constructor(
    @inject(CLUSTER) private readonly cluster: ClusterPort,
    private readonly requests: LeaderRequests,
    private readonly closing: ShutdownSignal
  ) {}

  /** See `RequestRouting.forward`. @throws Refusal */
  async forward(asked: LeaderRequest): Promise<number | 'here'> {
    const { signal } = this.closing
    const answered = await whileConnected(asked.response, isReadRequest(asked), signal, gone =>
      this.requests.ask(asked, gone)
    )
    if (answered === 'here') return answered
    const { leader, attempt } = answered
    if (attempt.kind === 'upgraded') throw new Error('the leader changed the protocol unasked')
    await this.#respond(leader, attempt.answer, asked)
    return attempt.answer.statusCode ?? 0
  }

  /** See `RequestRouting.tunnel`. @throws Refusal */
  async tunnel({ socket, head, ...asked }: LeaderSocketRequest): Promise<number | 'here'> {
    const bodiless = { ...asked, body: undefined, sendContinue: () => {}, isUpgrade: true }
    const answered = await whileConnected(socket, true, this.closing.signal, gone =>
      this.requests.ask(bodiless, gone)
    )
    if (answered === 'here') return answered
    const { leader, attempt } = answered
    const { statusCode: status = 0 } = attempt.answer
    if (attempt.kind === 'upgraded') {
      joinSockets({ socket, head }, attempt)
      this.#whileLeading(leader, attempt.socket)
    } else refuseConnection(socket, await refusalOf(attempt.answer))
    return status
  }

  /** An endless body is broken off when its server no longer leads, or this one shuts down. */
  async #respond(leader: LeaderAddress, answer: ServerAnswer, { response }: LeaderRequest): Promise<void> {
    if (!('body' in answer) && answer.headers['content-length'] === undefined)
      this.#whileLeading(leader, answer)
    await pipeResponse(answer, response, this.closing.signal)
  }

  /** Destroys the stream when its server no longer leads, or this one shuts down. */
  #whileLeading({ id }: LeaderAddress, stream: Duplex | IncomingMessage): void {
    const unlisten = this.cluster.onChange(() => {
      if (this.cluster.leader()?.id !== id) stream.destroy()
    })
    closeOnShutdown(this.closing.signal, stream, unlisten)
  }
}
