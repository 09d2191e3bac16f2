// Decides the commands on KV entries.
import type { KvEvent } from '../../events/kv.js'
import type { Views } from '../../projections/views.js'
import type { KvCommand } from './commands.js'
import {
  casDeleteKey,
  casKey,
  deleteKey,
  deleteTree,
  lockKey,
  refuseDelayed,
  setKey,
  unlockKey,
  type KvScene
} from './write.js'

/** @throws Refusal `conflict` when the present state stands against it, `invalid` for a session that cannot be used */
export const decideKv = (command: KvCommand, views: Views, index: number): KvEvent[] => {
  const { tenancy } = command
  const scene: KvScene = { models: views, tenancy, index }
  switch (command.name) {
    case 'DeleteKey':
      return deleteKey(scene, command.data.key)
    case 'CasDeleteKey':
      return casDeleteKey(scene, command.data.key, command.data.index)
    case 'DeleteKeyTree':
      return deleteTree(scene, command.data.prefix)
    case 'SetKey':
      return setKey(scene, command.data)
    case 'CasKey':
      return casKey(scene, command.data, command.data.index)
    case 'LockKey':
      refuseDelayed(scene, command.data.key, command.at)
      return lockKey(scene, command.data, command.data.session)
    case 'UnlockKey':
      return unlockKey(scene, command.data, command.data.session)
  }
}
