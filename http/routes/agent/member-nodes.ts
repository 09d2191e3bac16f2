// The nodes of the servers of a cluster in its catalog, kept by the leader: registered, and critical while their server is not heard of.
import type { Logger } from 'pino'
import { nodeRef } from '../../../actors/catalog/catalog.js'
import { SERVER } from '../../../actors/command.js'
import type { Clock } from '../../../actors/clock.js'
import type { KnownMember, Members } from '../../../actors/processes/members.js'
import { Refusal } from '../../../actors/refusal.js'
import type { ActorSystem } from '../../../actors/system.js'
import { CRITICAL, PASSING } from '../../../events/check.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { registration } from './registration.js'

/** A server that is not heard of for so long counts as failed, in ms. */
const GONE_MS = 10_000

export interface MemberNodesParts {
  readonly members: Members
  readonly system: ActorSystem
  readonly clock: Clock
  readonly logger: Logger
  readonly datacenter: string
}

export class MemberNodes {
  readonly #parts: MemberNodesParts
  #stop = (): void => {}
  #known: readonly KnownMember[] = []
  #startedAt = 0

  constructor(parts: MemberNodesParts) {
    this.#parts = parts
  }

  /** Registers the nodes of all servers that are heard of, and keeps them as they are. */
  async start(): Promise<void> {
    const { members, clock, logger } = this.#parts
    this.#startedAt = clock.elapsed()
    this.#known = []
    this.#stop = members.onLook(() => {
      this.#keep().catch(error => logger.warn({ err: error }, 'the nodes of the servers could not be kept'))
    })
    await members.look()
    await this.#keep()
  }

  stop(): void {
    this.#stop()
    this.#stop = () => {}
  }

  async #keep(): Promise<void> {
    const { members } = this.#parts
    const before = this.#known
    this.#known = members.all
    await Promise.all([
      ...this.#known.map(known => unlessRefused(this.#register(known))),
      ...before
        .filter(({ member }) => !members.get(member.id))
        .map(known => unlessRefused(this.#deregister(known)))
    ])
  }

  async #register({ member, isLive, since }: KnownMember): Promise<void> {
    const { system, clock, datacenter } = this.#parts
    const isGone = !isLive && clock.elapsed() - Math.max(since, this.#startedAt) >= GONE_MS
    if (!isLive && !isGone) return
    const health = isGone
      ? { Status: CRITICAL, Output: 'Agent not live or unreachable' }
      : { Status: PASSING, Output: 'Agent alive and reachable' }
    const { id, name, bind, meta } = member
    const command = registration({ id, name, bind, meta, datacenter }, health, clock.now())
    await system.ask(nodeRef(command.tenancy.partition, name), command)
  }

  /** It has left for good. */
  async #deregister({ member }: KnownMember): Promise<void> {
    const { system, clock } = this.#parts
    await system.ask(nodeRef(DEFAULT_TENANCY.partition, member.name), {
      name: 'Deregister',
      tenancy: DEFAULT_TENANCY,
      caller: SERVER,
      at: clock.now(),
      data: { node: member.name, serviceId: '', checkId: '' }
    })
  }
}

/** A refusal keeps no server from leading, and no other node from being kept: it is tried again with the next look. */
async function unlessRefused(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}
