// Secrets that go with what they belong to, also where it is shown as it was.
import { isCheckEvent } from '../../events/check.js'
import type { Event } from '../../events/envelope.js'
import type { Views } from '../read-models.js'

/**
 * The event without the secrets of a check that is not there now: they are part of what is shown of it. Of tokens, auth methods and
 * queries secrets are fields of their own, which whoever shows them leaves out.
 */
export const withoutDeletedSecrets = (event: Event, { catalog }: Views): Event => {
  if (event.Secrets === undefined || !isCheckEvent(event)) return event
  const { Node, CheckID } = event.Payload.Check
  const tenancy = { partition: event.Partition, namespace: event.Namespace || 'default' }
  if (catalog.check(tenancy, Node, CheckID)) return event
  const { Secrets: _, ...shown } = event
  return shown
}
