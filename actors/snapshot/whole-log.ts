// All that a log tells, also one that has let its oldest commits go.
import { setImmediate } from 'node:timers/promises'
import { isAuthMethodEvent } from '../../events/auth-method.js'
import { isBindingRuleEvent } from '../../events/binding-rule.js'
import { isCheckEvent } from '../../events/check.js'
import { isConfigEntryEvent, nameOfEntry } from '../../events/config-entry.js'
import type { Commit, Event } from '../../events/envelope.js'
import { foldersOf, isKvEvent } from '../../events/kv.js'
import type { EventLog } from '../../events/log/log.js'
import { isNodeEvent } from '../../events/node.js'
import { isOidcRequestEvent } from '../../events/oidc-request.js'
import { isPolicyEvent } from '../../events/policy.js'
import { isQueryEvent } from '../../events/prepared-query.js'
import { isRoleEvent } from '../../events/role.js'
import { isServiceEvent } from '../../events/service.js'
import { isSessionEvent } from '../../events/session.js'
import { isTokenEvent } from '../../events/token.js'
import { baseOf, type Beside } from '../../projections/restore.js'
import { eventOf, type Fact } from '../../projections/saved.js'

const NOBODY = { AccessorID: '', Address: '', RequestID: '', Command: 'Base' }

/**
 * The commits of a log. Where the oldest ones are gone, the facts of their base come first, in commits that
 * have its index.
 * @param beside what stands beside the log; undefined where it is kept nowhere
 * @throws LogUnusable when the base is damaged
 */
export async function* wholeLog(
  log: EventLog,
  beside: Beside | undefined
): AsyncGenerator<readonly Commit[]> {
  const base = await baseOf(log, beside?.bases)
  if (beside && base > 0) yield* factsOf(beside, base)
  yield* log.pages(base + 1)
}

async function* factsOf({ bases }: Beside, index: number): AsyncGenerator<readonly Commit[]> {
  const reader = await bases.open(index)
  try {
    for await (const { part, rows } of reader.blocks()) {
      // What read models remember beside their facts is each server's own.
      if (part.includes('.')) continue
      const facts: readonly Fact[] = JSON.parse(rows)
      const Events = facts.map(one => withFilterKeys(eventOf(one)))
      yield [{ Index: index, Time: '', By: NOBODY, Events }]
    }
  } finally {
    await reader.close()
  }
}

// The filter keys of an event, found again from its payload: the facts of a base are kept without them.

const ids = (links: readonly { readonly ID: string }[]): readonly string[] => links.map(({ ID }) => ID)

/** Empty ones are left out. */
const keysOf = (event: Event): readonly string[] => {
  if (isTokenEvent(event)) {
    const { AuthMethod, Policies, Roles } = event.Payload.ACLToken
    return [AuthMethod, ...ids(Policies), ...ids(Roles)]
  }
  if (isPolicyEvent(event)) return [event.Payload.ACLPolicy.Name]
  if (isRoleEvent(event)) return [event.Payload.ACLRole.Name]
  if (isAuthMethodEvent(event)) return [event.Payload.AuthMethod.Type]
  if (isBindingRuleEvent(event)) return [event.Payload.ACLBindingRule.AuthMethod]
  if (isOidcRequestEvent(event)) return [event.Payload.OIDCRequest.AuthMethod]
  if (isKvEvent(event)) return foldersOf(event.Key)
  if (isSessionEvent(event)) return [event.Payload.Session.Node, event.Payload.Session.Name]
  if (isQueryEvent(event)) {
    const { Name, Service, Session } = event.Payload.PreparedQuery
    return [Name, Service.Service, Session]
  }
  if (isConfigEntryEvent(event)) {
    const entry = event.Payload.ConfigEntry
    return [entry.Kind, nameOfEntry(entry)]
  }
  if (isNodeEvent(event)) return [event.Payload.Node.Name]
  if (isServiceEvent(event)) {
    const { ServiceName, Node, NodeID } = event.Payload.Service
    return [...new Set([ServiceName, Node, NodeID])]
  }
  if (isCheckEvent(event)) {
    const { Node, ServiceID, ServiceName } = event.Payload.Check
    return [...new Set([Node, ServiceID, ServiceName])]
  }
  return []
}

/** The event with the filter keys that it had when it was made. */
export const withFilterKeys = (event: Event): Event => {
  const keys = keysOf(event).filter(key => key !== '')
  return { ...event, FilterKeys: keys.length > 0 ? keys : null }
}

// Reads a log from end to end while others are served.

/** As `EventLog.pages`, and from 1 all that the log tells; whatever has arrived comes between two pages. */
export async function* pacedPages(
  log: EventLog,
  beside: Beside | undefined,
  from: number
): AsyncGenerator<readonly Commit[]> {
  for await (const page of from === 1 ? wholeLog(log, beside) : log.pages(from)) {
    yield page
    await setImmediate()
  }
}
