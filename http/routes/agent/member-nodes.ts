// The leader registers the nodes of a cluster's servers in the catalog. Their checks are critical while the server is unresponsive.
import { recovery } from '../../../events/errors.js'
import type { Logger } from 'pino'
import type { CatalogCommand } from '../../../actors/catalog/catalog.js'
import { serverCommand } from '../../../actors/aggregate.js'
import type { Clock } from '../../../actors/clock.js'
import type { KnownMember, Members } from '../../../actors/processes/members.js'
import { Refusal } from '../../../actors/refusal.js'
import type { Member } from '../../../events/log/cluster/shared-log.js'
import { ALIVE, GONE, registrations } from './registration.js'

/** An unresponsive server counts as failed after this time, in ms. */
const GONE_MS = 10_000

interface MemberNodesDependencies {
  readonly members: Pick<Members, 'all' | 'get' | 'look' | 'onLook'>
  /** Returns the ID of a node of the catalog. */
  readonly idOf: (node: string) => string | undefined
  /** Returns true if a node has the ID. */
  readonly isKnown: (id: string) => boolean
  /** Sends a command to a node of the catalog. @throws Refusal */
  readonly ask: (node: string, command: CatalogCommand) => Promise<unknown>
  readonly clock: Clock
  readonly logger: Logger
  readonly datacenter: string
}

export class MemberNodes {
  #isLeading = false
  /** The known servers, and removed ones until their nodes are deregistered, by ID. */
  readonly #known = new Map<string, Member>()
  #startedAt = 0

  /** Observes removed servers, even while another server leads. */
  constructor(private readonly parts: MemberNodesDependencies) {
    const { members, logger } = parts
    members.onLook(() => {
      this.#keep().catch(error =>
        logger.warn({ err: error }, 'the nodes of the servers could not be updated')
      )
    })
  }

  /** Registers the nodes of all responsive servers, and updates them from then on. */
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

  async #deregister(member: Member): Promise<void> {
    const { ask, clock } = this.parts
    const data = { node: member.name, serviceId: '', checkId: '' }
    await ask(member.name, serverCommand('Deregister', data, clock.now()))
  }
}

/** Ignores a refusal, so that it prevents neither leadership nor other updates. The next observation retries. */
const unlessRefused = (work: Promise<unknown>): Promise<unknown> =>
  work.catch(recovery(Refusal, () => undefined))
