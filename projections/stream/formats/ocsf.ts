// Events as OCSF 1.7.0 (Open Cybersecurity Schema Framework), by its classes for identities and for API activity.
import { isRoleEvent } from '../../../events/role.js'
import { isTokenEvent } from '../../../events/token.js'
import { programVersion } from '../../../events/version.js'
import { actionOf, mappingOf, signInOf, type Kind } from './event-mapping.js'
import { eventId, recordText, type FormattedEvent } from './formatted-event.js'

const OCSF_VERSION = '1.7.0'
const SUCCESS = 1
const INFORMATIONAL = 1
const OTHER = 99

/** What distinguishes the classes. */
interface ClassFields {
  readonly class_uid: number
  readonly activity_id: number
  readonly [attribute: string]: unknown
}

const ACTIVITIES = { create: 1, update: 3, delete: 4 } as const
const ACCOUNT_ACTIVITIES = { create: 1, update: OTHER, delete: 6 } as const
const PRIVILEGES = { assigned: 1, revoked: 2 } as const

const actorOf = ({ by: { AccessorID } }: FormattedEvent): object =>
  AccessorID === '' ? { app_name: 'annals' } : { user: { uid: AccessorID } }

/** Returns what a token or role links, as in `policy/web-read`; undefined for other resources and erased events. */
const privilegesOf = ({ event }: FormattedEvent): readonly string[] | undefined => {
  if (event.Erased || !(isTokenEvent(event) || isRoleEvent(event))) return undefined
  const roles = isTokenEvent(event) ? event.Payload.ACLToken.Roles : []
  const { Policies, ServiceIdentities, NodeIdentities } = isTokenEvent(event)
    ? event.Payload.ACLToken
    : event.Payload.ACLRole
  return [
    ...Policies.map(({ ID, Name }) => `policy/${Name || ID}`),
    ...roles.map(({ ID, Name }) => `role/${Name || ID}`),
    ...ServiceIdentities.map(({ ServiceName }) => `service-identity/${ServiceName}`),
    ...NodeIdentities.map(({ NodeName }) => `node-identity/${NodeName}`)
  ]
}

/** An update replaces all links, so the record has all of them. */
const userAccess = (formatted: FormattedEvent, privileges: readonly string[], user: object): ClassFields => ({
  class_uid: 3005,
  activity_id: privileges.length > 0 ? PRIVILEGES.assigned : PRIVILEGES.revoked,
  user,
  privileges,
  actor: actorOf(formatted)
})

const account = (formatted: FormattedEvent): ClassFields => {
  const { event, by } = formatted
  const user = { uid: event.Key }
  const signIn = signInOf(formatted)
  if (signIn)
    return { class_uid: 3002, activity_id: signIn === 'on' ? 1 : 2, user, service: { name: 'annals' } }
  const action = actionOf(formatted)
  const privileges = action === 'update' ? privilegesOf(formatted) : undefined
  if (privileges) return userAccess(formatted, privileges, user)
  return {
    class_uid: 3001,
    activity_id: ACCOUNT_ACTIVITIES[action],
    ...(action === 'update' && { activity_name: by.Command || 'Update' }),
    user,
    actor: actorOf(formatted)
  }
}

const entity = (formatted: FormattedEvent): ClassFields => ({
  class_uid: 3004,
  activity_id: ACTIVITIES[actionOf(formatted)],
  entity: { uid: formatted.event.Key, type: formatted.event.Topic },
  actor: actorOf(formatted)
})

const role = (formatted: FormattedEvent): ClassFields => {
  const privileges = actionOf(formatted) === 'update' ? privilegesOf(formatted) : undefined
  return privileges
    ? userAccess(formatted, privileges, { uid: formatted.event.Key, type_id: OTHER, type: 'Role' })
    : entity(formatted)
}

const activity = (formatted: FormattedEvent): ClassFields => {
  const { by, event } = formatted
  return {
    class_uid: 6003,
    activity_id: ACTIVITIES[actionOf(formatted)],
    api: {
      operation: by.Command || event.Type,
      ...(by.RequestID !== '' && { request: { uid: by.RequestID } })
    },
    actor: actorOf(formatted),
    resources: [{ uid: event.Key, type: event.Topic, namespace: event.Namespace || undefined }]
  }
}

const CLASSES: Readonly<Record<Kind, (formatted: FormattedEvent) => ClassFields>> = {
  account,
  role,
  entity,
  activity
}

let version: string | undefined

/** Returns the event as JSON of Account Change (3001), Authentication (3002), Entity Management (3004), User Access Management (3005) or API Activity (6003). */
export const ocsfRecord = (formatted: FormattedEvent): string => {
  const { by, event, index, time } = formatted
  const fields = CLASSES[mappingOf(event).kind](formatted)
  const record = {
    ...fields,
    category_uid: Math.trunc(fields.class_uid / 1000),
    type_uid: fields.class_uid * 100 + fields.activity_id,
    time: Date.parse(time),
    severity_id: INFORMATIONAL,
    status_id: SUCCESS,
    src_endpoint: by.Address === '' ? { svc_name: 'annals' } : { ip: by.Address },
    metadata: {
      version: OCSF_VERSION,
      product: { name: 'Annals', vendor_name: 'Annals', version: (version ??= programVersion()) },
      uid: eventId(formatted),
      sequence: index,
      log_name: 'audit',
      ...(by.RequestID !== '' && { correlation_uid: by.RequestID })
    }
  }
  return recordText(record, 'unmapped', formatted)
}
