// What only the leader may answer, handed on: its answers to requests, and the WebSockets that it opens.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { ShutdownSignal } from '../../../http/wire/shutdown-signal.js'
import type { LeaderRequest, LeaderSocketRequest } from '../../../http/wire/request-routing.js'
import { refuseConnection } from '../../../http/wire/sockets/client-errors.js'
import { CLUSTER, type ClusterPort, type LeaderAddress } from './cluster-port.js'
import { LeaderRequests } from './leader-requests.js'
import { isReadRequest } from '../transport/retry-policy.js'
import { refusalIn } from '../transport/response-text.js'
import { closeOnShutdown, pipeResponse } from '../transport/pipe-response.js'
import { joinSockets } from '../transport/tunnel.js'
import { onClientDisconnect } from '../transport/client-disconnect.js'

@scoped(Lifecycle.ContainerScoped)
export class Forwarding {
  constructor(
    @inject(CLUSTER) private readonly cluster: ClusterPort,
    private readonly requests: LeaderRequests,
    private readonly closing: ShutdownSignal
  ) {}

  /** Has the leader answer, as `WhoAnswers.forward` says. @throws Refusal */
  async forward(asked: LeaderRequest): Promise<number | 'here'> {
    const gone = new AbortController()
    const stop = onClientDisconnect(asked.response, isReadRequest(asked), this.closing.signal, () =>
      gone.abort()
    )
    try {
      const answered = await this.requests.ask(asked, gone.signal)
      if (answered === 'here') return answered
      stop()
      const { leader, attempt } = answered
      if (attempt.kind === 'upgraded') throw new Error('the leader has changed the protocol unasked')
      await this.#passOn(leader, attempt.answer, asked)
      return attempt.answer.statusCode ?? 0
    } finally {
      stop()
    }
  }

  /** Has the leader open a WebSocket, as `WhoAnswers.tunnel` says. @throws Refusal */
  async tunnel({ socket, head, ...asked }: LeaderSocketRequest): Promise<number | 'here'> {
    const gone = new AbortController()
    const stop = onClientDisconnect(socket, true, this.closing.signal, () => gone.abort())
    try {
      const bodiless = { ...asked, body: undefined, sendContinue: () => {}, isUpgrade: true }
      const answered = await this.requests.ask(bodiless, gone.signal)
      if (answered === 'here') return answered
      const { leader, attempt } = answered
      const { statusCode: status = 0 } = attempt.answer
      if (attempt.kind === 'upgraded') {
        joinSockets({ socket, head }, attempt)
        this.#whileLeading(leader, attempt.socket)
      } else refuseConnection(socket, status, await refusalIn(attempt.answer))
      return status
    } finally {
      stop()
    }
  }

  /** A body without an end is broken off when its server does not lead any more, or this one ends. */
  async #passOn(leader: LeaderAddress, answer: IncomingMessage, { response }: LeaderRequest): Promise<void> {
    if (answer.headers['content-length'] === undefined) this.#whileLeading(leader, answer)
    await pipeResponse(answer, response, this.closing.signal)
  }

  /** Breaks an answer off when its server leads no more, or this one ends. */
  #whileLeading({ id }: LeaderAddress, stream: Duplex | IncomingMessage): void {
    const unlisten = this.cluster.onChange(() => {
      if (this.cluster.leader()?.id !== id) stream.destroy()
    })
    stream.once('close', unlisten)
    closeOnShutdown(this.closing.signal, stream)
  }
}
