// What must be in the log from the first start on.
import { accessAggregate } from '../actors/access/aggregate.js'
import type { AccessCommand } from '../actors/access/commands.js'
import { clusterAggregate } from '../actors/cluster/aggregate.js'
import { SERVER } from '../actors/command.js'
import { partitionAggregate } from '../actors/partition/aggregate.js'
import { DEFAULT_TENANCY } from '../events/envelope.js'
import type { App } from './app.js'

/** Makes what must be there from the first start (tenancy.md §1, acl.md §2). */
export const seed = async ({ system, settings, ids, clock }: App): Promise<void> => {
  const common = { tenancy: DEFAULT_TENANCY, caller: SERVER, at: clock.now() }
  const partition = { ...common, name: 'CreateDefaultPartition', data: null } as const
  await system.ask(partitionAggregate, partition, () => undefined)
  if (!settings.acl.enabled) return
  const secret = settings.acl.tokens.initial_management
  const commands: AccessCommand[] = [
    { ...common, name: 'CreateBuiltinPolicy', data: null },
    ...(secret
      ? [{ ...common, name: 'CreateInitialManagement' as const, data: { secret, newAccessor: ids.uuid() } }]
      : []),
    { ...common, name: 'CreateAnonymousToken', data: null },
    ...Object.entries(settings.acl.legacy_tokens).map(([name, { secret: legacy, rules }]) => ({
      ...common,
      name: 'CreateLegacyToken' as const,
      data: { newAccessor: ids.uuid(), secret: legacy, name, rules }
    }))
  ]
  for (const command of commands) await system.ask(accessAggregate, command, () => undefined)
}

/** Gives the cluster its ID at its first start. */
export const identify = async ({ system, ids, clock }: App): Promise<void> => {
  const common = { tenancy: DEFAULT_TENANCY, caller: SERVER, at: clock.now() }
  const command = { ...common, name: 'IdentifyCluster' as const, data: { newId: ids.uuid() } }
  await system.ask(clusterAggregate, command, () => undefined)
}
