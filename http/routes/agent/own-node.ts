// The server's own node in the catalog, which clients expect from the start (spec: decisions.md 32).
import { nodeRef } from '../../../actors/catalog/catalog.js'
import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Clock, Deadlines } from '../../../actors/clock.js'
import { Committer } from '../../../actors/committer.js'
import { Subscriptions } from '../../../actors/subscriptions.js'
import { ActorSystem } from '../../../actors/system.js'
import { DEFAULT_TENANCY, type Event } from '../../../events/envelope.js'
import { isNodeEvent, NODE_TOPIC } from '../../../events/node.js'
import { Views } from '../../../projections/read-models.js'
import type { Settings } from '../../../server/settings/settings.js'
import { LOGGER, SETTINGS } from '../../../server/settings/ports.js'
import { ALIVE, registrations } from './registration.js'

const KIND = 'own-node'

const isOwn = (event: Event, name: string): boolean =>
  isNodeEvent(event) &&
  event.Type === 'NodeDeregistration' &&
  event.Partition === DEFAULT_TENANCY.partition &&
  event.Payload.Node.Name.toLowerCase() === name

@scoped(Lifecycle.ContainerScoped)
export class OwnNode {
  readonly #subscriptions = new Subscriptions()

  constructor(
    @inject(SETTINGS) private readonly settings: Settings,
    private readonly system: ActorSystem,
    private readonly committer: Committer,
    private readonly deadlines: Deadlines,
    private readonly clock: Clock,
    @inject(LOGGER) private readonly logger: Logger,
    private readonly views: Views
  ) {}

  /** Registers the node, or its changes since the last start. */
  async register(): Promise<void> {
    const { node_id: id, node_name: name, bind, node_meta: meta, datacenter } = this.settings
    const { partition } = DEFAULT_TENANCY
    const { catalog } = this.views
    const holder = catalog.host(partition, name)?.state.node.ID
    const isRename = catalog.nodeById(id) !== undefined
    const node = { id, name, bind, meta, datacenter }
    for (const command of registrations(node, ALIVE, this.clock.now(), { holder, isRename }))
      await this.system.ask(nodeRef(partition, name), command)
  }

  /**
   * Registers the node again after a deregistration or the restore of another server's snapshot. Otherwise no session
   * or service of the agent could be created until the next start.
   */
  keep(): void {
    const name = this.settings.node_name.toLowerCase()
    const due = (): void => {
      this.register().catch(error =>
        this.logger.warn({ err: error }, 'the own node was removed and could not be registered again')
      )
    }
    this.#subscriptions.add(this.deadlines.on(KIND, due))
    this.#subscriptions.add(
      this.committer.on(NODE_TOPIC, event => {
        if (isOwn(event, name)) this.deadlines.after(0, KIND, name)
      })
    )
  }

  stop(): void {
    this.#subscriptions.end()
  }
}
