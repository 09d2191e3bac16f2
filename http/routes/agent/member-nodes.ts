// The nodes of the servers of a cluster in its catalog, kept by the leader: registered, and critical while their server is not heard of.
import type { Logger } from 'pino'
import type { CatalogCommand } from '../../../actors/catalog/catalog.js'
import { SERVER } from '../../../actors/aggregate.js'
import type { Clock } from '../../../actors/clock.js'
import type { KnownMember, Members } from '../../../actors/processes/members.js'
import { Refusal } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import type { Member } from '../../../events/log/cluster/shared-log.js'
import { ALIVE, GONE, registrations } from './registration.js'

/** A server that is not heard of for so long counts as failed, in ms. */
const GONE_MS = 10_000

interface MemberNodesDependencies {
  readonly members: Pick<Members, 'all' | 'get' | 'look' | 'onLook'>
  /** The ID of a node of the catalog; undefined for none. */
  readonly idOf: (node: string) => string | undefined
  /** Whether a node has the ID. */
  readonly isKnown: (id: string) => boolean
  /** Has a node of the catalog decide. @throws Refusal */
  readonly ask: (node: string, command: CatalogCommand) => Promise<unknown>
  readonly clock: Clock
  readonly logger: Logger
  readonly datacenter: string
}

export class MemberNodes {
  #isLeading = false
  /** Every server that is known, and those that have left until their nodes are gone, by ID. */
  readonly #known = new Map<string, Member>()
  #startedAt = 0

  /** Sees from now on who leaves, also while another server leads. */
  constructor(private readonly parts: MemberNodesDependencies) {
    const { members, logger } = parts
    members.onLook(() => {
      this.#keep().catch(error => logger.warn({ err: error }, 'the nodes of the servers could not be kept'))
    })
  }

  /** Registers the nodes of all servers that are heard of, and keeps them as they are. */
  async start(): Promise<void> {
    this.#startedAt = this.parts.clock.elapsed()
    this.#isLeading = true
    await this.parts.members.look()
    await this.#keep()
  }

  stop(): void {
    this.#isLeading = false
  }

  async #keep(): Promise<void> {
    const { members, idOf } = this.parts
    for (const { member } of members.all) this.#known.set(member.id, member)
    const left = [...this.#known.values()].filter(({ id }) => !members.get(id))
    const names = new Set(members.all.map(({ member }) => member.name))
    for (const { id, name } of left) if (idOf(name) !== id || names.has(name)) this.#known.delete(id)
    if (!this.#isLeading) return
    await Promise.all([
      ...members.all.map(known => unlessRefused(this.#register(known))),
      ...left.filter(({ id }) => this.#known.has(id)).map(member => unlessRefused(this.#deregister(member)))
    ])
  }

  async #register({ member, isLive, since }: KnownMember): Promise<void> {
    const { ask, clock, datacenter, idOf, isKnown, members } = this.parts
    const isGone = !isLive && clock.elapsed() - Math.max(since, this.#startedAt) >= GONE_MS
    if (!isLive && !isGone) return
    const { id, name, bind, meta } = member
    const holder = idOf(name)
    if (holder !== undefined && holder !== id && (isGone || members.get(holder)?.isLive)) return
    const node = { id, name, bind, meta, datacenter }
    for (const command of registrations(node, isGone ? GONE : ALIVE, clock.now(), {
      holder,
      isRename: isKnown(id)
    }))
      await ask(name, command)
  }

  /** It has left for good. */
  async #deregister(member: Member): Promise<void> {
    const { ask, clock } = this.parts
    await ask(member.name, {
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
