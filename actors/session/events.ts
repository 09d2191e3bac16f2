// Makes the events of sessions.
import type { Tenancy } from '../../events/envelope.js'
import { SESSION_TOPIC, type Session, type SessionEvent } from '../../events/session.js'
import { shownTenancy } from '../../projections/shown-tenancy.js'
import { makeEvent } from '../make-event.js'

export const sessionEvent = (Type: SessionEvent['Type'], tenancy: Tenancy, session: Session): SessionEvent =>
  makeEvent({
    Topic: SESSION_TOPIC,
    Type,
    Key: session.ID,
    tenancy,
    FilterKeys: session.Name === '' ? [session.Node] : [session.Node, session.Name],
    Payload: { Session: { ...session, ...shownTenancy(tenancy) } }
  })
