// Events as OCSF 1.7.0 (Open Cybersecurity Schema Framework), by its classes for identities and for API activity.
import { programVersion } from '../../../events/version.js'
import { actionOf, eventId, ownFields, type FormattedEvent } from './formatted-event.js'

const OCSF_VERSION = '1.7.0'
const SUCCESS = 1
const INFORMATIONAL = 1
const OTHER = 99

/** What distinguishes the classes. */
interface ClassFields {
  readonly category_uid: number
  readonly class_uid: number
  readonly activity_id: number
  readonly activity_name?: string
  readonly [attribute: string]: unknown
}

/** Topics of resources that grant permissions or hold others. */
const ENTITIES: ReadonlySet<string> = new Set([
  'ACLPolicy',
  'ACLRole',
  'ACLAuthMethod',
  'ACLBindingRule',
  'Namespace',
  'Partition'
])

const LOGINS: Readonly<Record<string, number>> = { Login: 1, Logout: 2 }
const ACTIVITIES = { create: 1, update: 3, delete: 4 } as const

const authentication = ({ event, by }: FormattedEvent, activity_id: number): ClassFields => ({
  category_uid: 3,
  class_uid: 3002,
  activity_id,
  user: { uid: event.Key },
  service: { name: 'annals' },
  ...(by.Address !== '' && { src_endpoint: { ip: by.Address } })
})

/** An update of a token is no activity of the class, so it is `Other`. */
const accountChange = (audited: FormattedEvent): ClassFields => {
  const activity = { create: 1, update: OTHER, delete: 6 }[actionOf(audited)]
  return {
    category_uid: 3,
    class_uid: 3001,
    activity_id: activity,
    ...(activity === OTHER && { activity_name: audited.by.Command || 'Update' }),
    user: { uid: audited.event.Key },
    actor: actorOf(audited)
  }
}

const entityManagement = (audited: FormattedEvent): ClassFields => ({
  category_uid: 3,
  class_uid: 3004,
  activity_id: ACTIVITIES[actionOf(audited)],
  entity: { uid: audited.event.Key, type: audited.event.Topic },
  actor: actorOf(audited)
})

const apiActivity = (audited: FormattedEvent): ClassFields => {
  const { by, event } = audited
  return {
    category_uid: 6,
    class_uid: 6003,
    activity_id: ACTIVITIES[actionOf(audited)],
    api: {
      operation: by.Command || event.Type,
      ...(by.RequestID !== '' && { request: { uid: by.RequestID } })
    },
    actor: actorOf(audited),
    src_endpoint: by.Address === '' ? { svc_name: 'annals' } : { ip: by.Address },
    resources: [{ uid: event.Key, type: event.Topic, namespace: event.Namespace || undefined }]
  }
}

const actorOf = ({ by: { AccessorID } }: FormattedEvent): object =>
  AccessorID === '' ? { app_name: 'annals' } : { user: { uid: AccessorID } }

const classOf = (audited: FormattedEvent): ClassFields => {
  const { event, by } = audited
  const login = LOGINS[by.Command]
  if (event.Topic === 'ACLToken')
    return login === undefined ? accountChange(audited) : authentication(audited, login)
  return ENTITIES.has(event.Topic) ? entityManagement(audited) : apiActivity(audited)
}

let version: string | undefined

/** Returns the event as JSON of Authentication (3002), Account Change (3001), Entity Management (3004) or API Activity (6003). */
export const ocsfLine = (audited: FormattedEvent): string => {
  const fields = classOf(audited)
  const { by, index, time } = audited
  return JSON.stringify({
    ...fields,
    type_uid: fields.class_uid * 100 + fields.activity_id,
    time: Date.parse(time),
    severity_id: INFORMATIONAL,
    status_id: SUCCESS,
    metadata: {
      version: OCSF_VERSION,
      product: { name: 'Annals', vendor_name: 'Annals', version: (version ??= programVersion()) },
      uid: eventId(audited),
      sequence: index,
      log_name: 'audit',
      ...(by.RequestID !== '' && { correlation_uid: by.RequestID })
    },
    unmapped: ownFields(audited)
  })
}
