import type { AccessCommand } from '../actors/access.js'
import { SERVER } from '../actors/aggregate.js'
import { partitionRef } from '../actors/partition.js'
import { inCluster } from '../actors/ref.js'
import { ACCESS_KEY, accessEvents, CLUSTER_KEY, clusterEvents } from '../events/cluster.js'
import { Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../actors/clock.js'
import { Ids } from '../actors/ids.js'
import { ActorSystem } from '../actors/system.js'
import { DEFAULT_TENANCY } from '../events/envelope.js'
import { LiveSettings, type Settings } from '../server/settings/settings.js'

/** Creates the resources that must exist from the first start (tenancy.md §1, acl.md §2). */
@scoped(Lifecycle.ContainerScoped)
export class InitialResources {
  constructor(
    private readonly system: ActorSystem,
    private readonly settings: LiveSettings,
    private readonly ids: Ids,
    private readonly clock: Clock
  ) {}

  /** Creates the default partition, the ACL system's resources, and the ID of the cluster. */
  async plant(): Promise<void> {
    const partition = { ...this.#common, name: 'CreateDefaultPartition', data: null } as const
    await this.system.ask(partitionRef(DEFAULT_TENANCY), partition)
    await this.plantAcl(this.settings.current)
    const cluster = { ...this.#common, name: 'IdentifyCluster' as const, data: { newId: this.ids.uuid() } }
    await this.system.ask(inCluster(clusterEvents.topic, CLUSTER_KEY), cluster)
  }

  /** Creates the missing resources of the ACL system, and the tokens that the settings name. */
  async plantAcl({ acl }: Pick<Settings, 'acl'>): Promise<void> {
    if (!acl.enabled) return
    const common = this.#common
    const ids = this.ids
    const secret = acl.tokens.initial_management
    const commands: AccessCommand[] = [
      { ...common, name: 'CreateBuiltinPolicy', data: null },
      ...(secret
        ? [{ ...common, name: 'CreateInitialManagement' as const, data: { secret, newAccessor: ids.uuid() } }]
        : []),
      { ...common, name: 'CreateAnonymousToken', data: null },
      ...Object.entries(acl.legacy_tokens).map(([name, { secret: legacy, rules }]) => ({
        ...common,
        name: 'CreateLegacyToken' as const,
        data: { newAccessor: ids.uuid(), secret: legacy, name, rules }
      }))
    ]
    for (const command of commands) await this.system.ask(inCluster(accessEvents.topic, ACCESS_KEY), command)
  }

  get #common() {
    return { tenancy: DEFAULT_TENANCY, caller: SERVER, at: this.clock.now() }
  }
}
