// Prepared queries: what one is, and the events of its life (spec: queries.md §2, stream.md §15).
import type { Event } from './envelope.js'
import { indexes } from './shape/common.js'
import { added, found, given, ignored, made, shape } from './shape/fields.js'
import { empty, flag, integer, map, object, orNone, text, texts } from './shape/forms.js'
import type { Input, Stored } from './shape/types.js'

const template = object({
  Type: given(text, 'name_prefix_match makes a template'),
  Regexp: given(text, 'RE2 expression over the name asked for'),
  RemoveEmptyTags: given(flag, 'Leave out tags that are empty once filled in')
})

const failover = object(
  {
    NearestN: given(integer, 'How many other datacenters to try, nearest first'),
    Datacenters: given(orNone(texts), 'Datacenters to try after those, in this order'),
    // Fields of newer servers: what they say must be what is done anyway (decisions.md 6).
    Targets: ignored(empty('list'), 'Accepted when empty'),
    SkipLocalDatacenter: ignored(empty('flag'), 'Accepted when false')
  },
  'QueryFailover'
)

/** Which instances a query asks for. */
const service = object(
  {
    Service: given(text, 'Name of the service'),
    Namespace: added(text, 'Namespace of the service; answers have it where one was given'),
    Partition: ignored(empty('text'), 'Accepted when empty'),
    Peer: ignored(empty('text'), 'Accepted when empty'),
    SamenessGroup: ignored(empty('text'), 'Accepted when empty'),
    SkipLocalDatacenter: ignored(empty('flag'), 'Accepted when false'),
    Failover: given(failover, 'Where to look when there are no instances'),
    OnlyPassing: given(flag, 'Leave out instances whose checks are at warning'),
    IgnoreCheckIDs: given(orNone(texts), 'Checks that do not count'),
    Near: given(text, 'Node to sort by distance from: a name, _agent or _ip'),
    Tags: given(orNone(texts), 'Tags that an instance must have, or with ! in front must not have'),
    NodeMeta: given(orNone(map(text)), 'Metadata that the node must have'),
    ServiceMeta: given(orNone(map(text)), 'Metadata that the instance must have'),
    Connect: given(flag, 'Only instances that Connect reaches')
  },
  'QueryService'
)
export type QueryService = Stored<typeof service.fields>

/** A prepared query. */
export const queryShape = shape({
  name: 'Query',
  example: {
    given: { Name: 'web', Service: { Service: 'web', OnlyPassing: true, Tags: ['v1'] }, DNS: { TTL: '10s' } },
    made: {
      ID: '059a3f7a-3499-4b74-bd3f-0d2ff1b0e0a4',
      Session: '',
      Token: '',
      Template: { Type: '', Regexp: '', RemoveEmptyTags: false },
      Service: {
        Service: 'web',
        Failover: { NearestN: 0, Datacenters: null },
        OnlyPassing: true,
        IgnoreCheckIDs: null,
        Near: '',
        Tags: ['v1'],
        NodeMeta: null,
        ServiceMeta: null,
        Connect: false
      },
      CreateIndex: 43,
      ModifyIndex: 43,
      RaftIndex: { CreateIndex: 43, ModifyIndex: 43 }
    }
  },
  fields: {
    ID: made(text, 'UUID; set by the service'),
    Name: given(text, 'Name to execute the query by, or prefix of a template'),
    Session: given(text, 'ID of the session with which the query goes; empty for none'),
    // Where there is one, events hold `<hidden>` here: it travels in their `Secrets`.
    Token: given(text, 'Secret of the token to execute the query with; <hidden> without acl:write', {
      filterable: false
    }),
    Template: given(template, 'Answers to many names'),
    Service: given(service, 'Which instances to look for'),
    DNS: given(
      object({ TTL: given(text, 'Time to live of DNS answers, a duration; empty for none') }),
      'For DNS'
    ),
    ...indexes,
    RaftIndex: found(object(indexes), 'Both indexes again')
  }
})

/** A prepared query as an event carries it. */
export type PreparedQuery = Stored<typeof queryShape.fields>
/** What a caller says of a query. */
export type QueryInput = Input<typeof queryShape.fields>

export const QUERY_TOPIC = 'PreparedQuery'
/** In place of a token that the reader may not see. */
export const HIDDEN_TOKEN = '<hidden>'
export const NAME_PREFIX_MATCH = 'name_prefix_match'

type Payload = { readonly PreparedQuery: PreparedQuery }
export type QueryUpserted = Event<typeof QUERY_TOPIC, 'PreparedQueryUpserted', Payload>
export type QueryDeleted = Event<typeof QUERY_TOPIC, 'PreparedQueryDeleted', Payload>
export type QueryEvent = QueryUpserted | QueryDeleted

/** Tells a query's events from others; what the log holds under this topic was written by us. */
export const isQueryEvent = (event: Event): event is QueryEvent => event.Topic === QUERY_TOPIC

export const isTemplate = ({ Template }: Pick<PreparedQuery, 'Template'>): boolean => Template.Type !== ''

/** Whether rules of the ACL system apply to the query (spec: queries.md §4.1). */
export const isNamed = (query: Pick<PreparedQuery, 'Name' | 'Template'>): boolean =>
  query.Name !== '' || isTemplate(query)
