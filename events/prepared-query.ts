// Resource definition and events of prepared queries (spec: queries.md §2, stream.md §15).
import { resourceEvents, type EventOf } from './envelope.js'
import {
  indexes,
  optionalWritable,
  computedField,
  writable,
  ignoredField,
  generated,
  defineResource,
  mustBeEmptyType,
  booleanType,
  integerType,
  mapType,
  objectType,
  optionalType,
  textType,
  textListType
} from './definition/fields.js'
import type { Input, Stored } from './definition/types.js'

const template = objectType({
  Type: writable(textType, 'name_prefix_match makes a template'),
  Regexp: writable(textType, 'RE2 expression over the name asked for'),
  RemoveEmptyTags: writable(booleanType, 'Leave out tags that are empty once filled in')
})

const failover = objectType(
  {
    NearestN: writable(integerType, 'How many other datacenters to try, nearest first'),
    Datacenters: writable(optionalType(textListType), 'Datacenters to try after those, in this order'),
    // Fields of newer servers, accepted only with the value of the default behaviour (decisions.md 6).
    Targets: ignoredField(mustBeEmptyType('list'), 'Accepted when empty'),
    SkipLocalDatacenter: ignoredField(mustBeEmptyType('flag'), 'Accepted when false')
  },
  'QueryFailover'
)

/** Selection of service instances. */
const service = objectType(
  {
    Service: writable(textType, 'Name of the service'),
    Namespace: optionalWritable(textType, 'Namespace of the service; answers have it where one was given'),
    Partition: ignoredField(mustBeEmptyType('text'), 'Accepted when empty'),
    Peer: ignoredField(mustBeEmptyType('text'), 'Accepted when empty'),
    SamenessGroup: ignoredField(mustBeEmptyType('text'), 'Accepted when empty'),
    SkipLocalDatacenter: ignoredField(mustBeEmptyType('flag'), 'Accepted when false'),
    Failover: writable(failover, 'Where to look when there are no instances'),
    OnlyPassing: writable(booleanType, 'Leave out instances whose checks are at warning'),
    IgnoreCheckIDs: writable(optionalType(textListType), 'Checks that do not count'),
    Near: writable(textType, 'Node to sort by distance from: a name, _agent or _ip'),
    Tags: writable(
      optionalType(textListType),
      'Tags that an instance must have, or with ! in front must not have'
    ),
    NodeMeta: writable(optionalType(mapType(textType)), 'Metadata that the node must have'),
    ServiceMeta: writable(optionalType(mapType(textType)), 'Metadata that the instance must have'),
    Connect: writable(booleanType, 'Only instances that Connect reaches')
  },
  'QueryService'
)
export type QueryService = Stored<typeof service.fields>

export const queryDefinition = defineResource({
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
    ID: generated(textType, 'UUID; set by the service'),
    Name: writable(textType, 'Name to execute the query by, or prefix of a template'),
    Session: writable(textType, 'ID of the session with which the query goes; empty for none'),
    // Events hold `<hidden>` here and the secret in `Secrets`.
    Token: writable(textType, 'Secret of the token to execute the query with; <hidden> without acl:write', {
      filterable: false
    }),
    Template: writable(template, 'Answers to many names'),
    Service: writable(service, 'Which instances to look for'),
    DNS: writable(
      objectType({ TTL: writable(textType, 'Time to live of DNS answers, a duration; empty for none') }),
      'For DNS'
    ),
    ...indexes,
    RaftIndex: computedField(objectType(indexes), 'Both indexes again')
  }
})

export type PreparedQuery = Stored<typeof queryDefinition.fields>
export type QueryInput = Input<typeof queryDefinition.fields>

export const QUERY_TOPIC = 'PreparedQuery'
export const NAME_PREFIX_MATCH = 'name_prefix_match'

export const queryEvents = resourceEvents({
  topic: QUERY_TOPIC,
  types: ['PreparedQueryUpserted', 'PreparedQueryDeleted'],
  payloadOf: (query: PreparedQuery) => ({ PreparedQuery: query }),
  keyOf: payload => payload.PreparedQuery.ID,
  filterKeysOf: ({ PreparedQuery: { Name, Service, Session } }) => [Name, Service.Service, Session]
})
export type QueryEvent = EventOf<typeof queryEvents>
export const isQueryEvent = queryEvents.is

export const isTemplate = ({ Template }: Pick<PreparedQuery, 'Template'>): boolean => Template.Type !== ''

/** Returns true for queries that ACL rules cover (spec: queries.md §4.1). */
export const isNamed = (query: Pick<PreparedQuery, 'Name' | 'Template'>): boolean =>
  query.Name !== '' || isTemplate(query)
