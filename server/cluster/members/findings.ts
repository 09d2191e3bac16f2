// What this server finds out of its own node: stored by itself while it leads, told to the leader otherwise.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { agentRef } from '../../../actors/agent/agent.js'
import { abortAfter } from '../../../actors/clock.js'
import type { FoundCommand } from '../../../actors/ports.js'
import { ActorSystem } from '../../../actors/system.js'
import { CHECK_FINDINGS, SERVICE_FINDINGS } from '../../../http/routes/internal/findings.js'
import { refusalIn } from '../transport/answer-text.js'
import { CLUSTER, type ClusterPort } from './cluster-port.js'
import { SignedRequests } from './signed-requests.js'

const OK = 200

@scoped(Lifecycle.ContainerScoped)
export class Findings {
  /** What was asked last of each thing, while it is under way: the leader hears of a thing in the order in which it was found. */
  readonly #last = new Map<string, Promise<unknown>>()

  constructor(@inject(CLUSTER) private readonly cluster: ClusterPort, private readonly system: ActorSystem, private readonly signed: SignedRequests) {
  }

  /** Resolves when the finding is stored. @throws Error when it is not, or nobody knows: it may be told again */
  async ask(command: FoundCommand): Promise<void> {
    const { tenancy, data } = command
    const key = JSON.stringify([tenancy.partition, tenancy.namespace, data.id])
    const before = this.#last.get(key)
    const told = before ? before.then(() => this.#tell(command)) : this.#tell(command)
    const settled = told.catch(() => {})
    this.#last.set(key, settled)
    try {
      await told
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key)
    }
  }

  async #tell(command: FoundCommand): Promise<void> {
    if (this.cluster.role() === 'leading') {
      await this.system.ask(agentRef(command.data.node), command)
      return
    }
    const leader = this.cluster.leader()
    if (!leader) throw new Error('nobody leads the cluster')
    const { url, body } = requestOf(command)
    const headers = ['Content-Type', 'application/json']
    const outgoing = { method: 'PUT', url, headers, body, onAsked: () => {}, isLong: false }
    const attempt = await this.signed.send(leader.address, outgoing, abortAfter(this.cluster.hold))
    if (attempt.kind !== 'answered') throw new Error(`the leader, ${leader.address}, did not answer`)
    const said = await refusalIn(attempt.answer)
    if (attempt.answer.statusCode !== OK) throw new Error(`the leader refused what was found: ${said}`)
  }
}

/** The internal request that tells the leader of it. */
const requestOf = ({ name, tenancy, data, cause }: FoundCommand) => {
  const found = {
    Partition: tenancy.partition,
    Namespace: tenancy.namespace,
    ID: data.id,
    ...(cause === undefined ? {} : { Cause: cause })
  }
  const more = 'status' in data ? { Status: data.status, Output: data.output } : {}
  return {
    url: name === 'UpdateAgentCheck' ? CHECK_FINDINGS : SERVICE_FINDINGS,
    body: Buffer.from(JSON.stringify({ ...found, ...more }))
  }
}
