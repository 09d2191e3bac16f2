// What only the leader may answer, handed on: its answers to requests, and the WebSockets that it opens.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Closing } from '../../../http/wire/closing.js'
import type { ForLeader, ForTunnel } from '../../../http/wire/who-answers.js'
import { refuseConnection } from '../../../http/wire/sockets/client-errors.js'
import { CLUSTER, type ClusterPort, type LeaderPlace } from './cluster-port.js'
import { LeaderRequests } from './leader-requests.js'
import { isRead } from '../transport/repeats.js'
import { refusalIn } from '../transport/answer-text.js'
import { endWith, passOn } from '../transport/passing-on.js'
import { join } from '../transport/tunnel.js'
import { whenGone } from '../transport/whose-answer.js'

@scoped(Lifecycle.ContainerScoped)
export class Forwarding {
  constructor(
    @inject(CLUSTER) private readonly cluster: ClusterPort,
    private readonly requests: LeaderRequests,
    private readonly closing: Closing
  ) {}

  /** Has the leader answer, as `WhoAnswers.forward` says. @throws Refusal */
  async forward(asked: ForLeader): Promise<number | 'here'> {
    const gone = new AbortController()
    const stop = whenGone(asked.response, isRead(asked), this.closing.signal, () => gone.abort())
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
  async tunnel({ socket, head, ...asked }: ForTunnel): Promise<number | 'here'> {
    const gone = new AbortController()
    const stop = whenGone(socket, true, this.closing.signal, () => gone.abort())
    try {
      const bodiless = { ...asked, body: undefined, invite: () => {}, isUpgrade: true }
      const answered = await this.requests.ask(bodiless, gone.signal)
      if (answered === 'here') return answered
      const { leader, attempt } = answered
      const { statusCode: status = 0 } = attempt.answer
      if (attempt.kind === 'upgraded') {
        join({ socket, head }, attempt)
        this.#whileLeading(leader, attempt.socket)
      } else refuseConnection(socket, status, await refusalIn(attempt.answer))
      return status
    } finally {
      stop()
    }
  }

  /** A body without an end is broken off when its server does not lead any more, or this one ends. */
  async #passOn(leader: LeaderPlace, answer: IncomingMessage, { response }: ForLeader): Promise<void> {
    if (answer.headers['content-length'] === undefined) this.#whileLeading(leader, answer)
    await passOn(answer, response, this.closing.signal)
  }

  /** Breaks an answer off when its server leads no more, or this one ends. */
  #whileLeading({ id }: LeaderPlace, stream: Duplex | IncomingMessage): void {
    const unlisten = this.cluster.onChange(() => {
      if (this.cluster.leader()?.id !== id) stream.destroy()
    })
    stream.once('close', unlisten)
    endWith(this.closing.signal, stream)
  }
}
