// The rule that rejects commits without a reason (`reason.required`).
import { type Command, SERVER } from '../../actors/command.js'
import type { CommitRule } from '../../actors/ports.js'
import { invalid } from '../../actors/refusal.js'
import type { Event } from '../../events/envelope.js'
import { isNamespaceEvent } from '../../events/namespace.js'
import { isPartitionEvent } from '../../events/partition.js'
import type { LiveSettings } from '../../server/settings/live-settings.js'
import { REASON_HEADER } from './reason.js'

/** Repeated commands of programs, which have no particular reason, and the pieces of a restore, which began with a reason. */
const EXEMPT: ReadonlySet<string> = new Set([
  'Login',
  'OpenOidcRequest',
  'UseOidcRequest',
  'Logout',
  'UpdateAgentCheck',
  'UpdateCoordinates',
  'MoveCursors',
  'RestoreSnapshotPiece',
  'EndSnapshotRestore'
])

/** Splits an entry of the setting: `NAMESPACE`, or `PARTITION/NAMESPACE`. */
const placeOf = (entry: string): readonly [partition: string, namespace: string] => {
  const at = entry.indexOf('/')
  return at < 0 ? ['default', entry] : [entry.slice(0, at), entry.slice(at + 1)]
}

/** Returns true if an event changes a namespace or its content. A restore changes all of them. */
const touches = (event: Event, entry: string, command: Command): boolean => {
  if (entry === '*' || command.name === 'RestoreSnapshot') return true
  const [partition, namespace] = placeOf(entry)
  if (isPartitionEvent(event)) return event.Key === partition
  if (event.Partition !== partition) return false
  if (isNamespaceEvent(event)) return event.Key === namespace
  return event.Namespace === namespace || event.Namespace === '*'
}

/** Commands of the server itself need no reason. */
export const requiredReasons =
  (live: LiveSettings): CommitRule =>
  (command, events) => {
    const { required } = live.current.reason
    if (required.length === 0 || command.caller.reason !== undefined) return
    if (command.caller === SERVER || EXEMPT.has(command.name)) return
    const entry = required.find(one => events.some(event => touches(event, one, command)))
    if (entry === undefined) return
    const where = entry === '*' ? 'Every write' : `A write that changes namespace "${entry}"`
    throw invalid(
      `Bad request: header ${REASON_HEADER} is missing. ${where} must say why it is made (reason.required)`
    )
  }
