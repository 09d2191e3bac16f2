// What must be in the log from the first start on.
import type { AccessCommand } from '../../actors/access.js'
import { SERVER } from '../../actors/command.js'
import { partitionRef } from '../../actors/partition.js'
import { inCluster } from '../../actors/ref.js'
import { OPERATOR_TOPIC, ACCESS_KEY } from '../../events/access.js'
import { CLUSTER_TOPIC, CLUSTER_KEY } from '../../events/cluster.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import type { App } from './app.js'
import type { Settings } from '../settings/settings.js'

/** Makes what must be there from the first start (tenancy.md §1, acl.md §2). */
export const seed = async (app: App): Promise<void> => {
  const { system, settings, clock } = app
  const common = { tenancy: DEFAULT_TENANCY, caller: SERVER, at: clock.now() }
  const partition = { ...common, name: 'CreateDefaultPartition', data: null } as const
  await system.ask(partitionRef(DEFAULT_TENANCY), partition)
  await seedAcl(app, settings)
}

/** Makes what the ACL system must have, and the tokens that the settings name: those of them that are not there. */
export const seedAcl = async ({ system, ids, clock }: App, { acl }: Pick<Settings, 'acl'>): Promise<void> => {
  if (!acl.enabled) return
  const common = { tenancy: DEFAULT_TENANCY, caller: SERVER, at: clock.now() }
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
  for (const command of commands) await system.ask(inCluster(OPERATOR_TOPIC, ACCESS_KEY), command)
}

/** Gives the cluster its ID at its first start. */
export const identify = async ({ system, ids, clock }: App): Promise<void> => {
  const common = { tenancy: DEFAULT_TENANCY, caller: SERVER, at: clock.now() }
  const command = { ...common, name: 'IdentifyCluster' as const, data: { newId: ids.uuid() } }
  await system.ask(inCluster(CLUSTER_TOPIC, CLUSTER_KEY), command)
}
