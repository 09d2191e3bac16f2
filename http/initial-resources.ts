import type { AccessCommand } from '../actors/access.js'
import { serverCommand } from '../actors/aggregate.js'
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
    const at = this.clock.now()
    const partition = serverCommand('CreateDefaultPartition', null, at)
    await this.system.ask(partitionRef(DEFAULT_TENANCY), partition)
    await this.plantAcl(this.settings.current)
    const cluster = serverCommand('IdentifyCluster', { newId: this.ids.uuid() }, at)
    await this.system.ask(inCluster(clusterEvents.topic, CLUSTER_KEY), cluster)
  }

  /** Creates the missing resources of the ACL system, and the tokens that the settings name. */
  async plantAcl({ acl }: Pick<Settings, 'acl'>): Promise<void> {
    if (!acl.enabled) return
    const at = this.clock.now()
    const newAccessor = (): string => this.ids.uuid()
    const secret = acl.tokens.initial_management
    const commands: AccessCommand[] = [
      serverCommand('CreateBuiltinPolicy', null, at),
      ...(secret
        ? [serverCommand('CreateInitialManagement', { secret, newAccessor: newAccessor() }, at)]
        : []),
      serverCommand('CreateAnonymousToken', null, at),
      ...Object.entries(acl.legacy_tokens).map(([name, token]) =>
        serverCommand('CreateLegacyToken', { ...token, newAccessor: newAccessor(), name }, at)
      )
    ]
    for (const command of commands) await this.system.ask(inCluster(accessEvents.topic, ACCESS_KEY), command)
  }
}
