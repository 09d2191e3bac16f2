// The kinds of the section Keys.
import { decoded, field, textOf, type Kind } from '../kind.js'

/** Lists the datacenters that a query fails over to. */
const failoverOf = (failover: unknown): string => {
  const nearest = Number(Reflect.get(Object(failover), 'NearestN') ?? 0)
  const datacenters: unknown = Reflect.get(Object(failover), 'Datacenters')
  const named = Array.isArray(datacenters) ? datacenters.map(textOf) : []
  return [...(nearest > 0 ? [`nearest ${nearest}`] : []), ...named].join(', ')
}

export const keyKind: Kind = {
  path: 'keys',
  title: 'Keys',
  one: 'key',
  key: 'k',
  topic: 'KV',
  columns: [
    field('Key'),
    { title: 'Value', text: ({ Value }) => decoded(Value) },
    field('Flags'),
    field('Session')
  ]
}

export const sessionKind: Kind = {
  path: 'sessions',
  title: 'Sessions',
  one: 'session',
  key: 'x',
  topic: 'Session',
  columns: [
    { title: 'Name', text: ({ Name, ID }) => textOf(Name) || textOf(ID) },
    field('ID'),
    field('Node'),
    field('TTL'),
    field('Behavior')
  ]
}

export const queryKind: Kind = {
  path: 'queries',
  title: 'Prepared queries',
  one: 'prepared query',
  key: 'q',
  topic: 'PreparedQuery',
  columns: [
    { title: 'Name', text: ({ Name, ID }) => textOf(Name) || textOf(ID) },
    { title: 'Service', text: ({ Service }) => textOf(Reflect.get(Object(Service), 'Service')) },
    {
      title: 'Kind',
      text: ({ Template }) => (textOf(Reflect.get(Object(Template), 'Type')) === '' ? 'query' : 'template')
    },
    { title: 'Failover', text: ({ Service }) => failoverOf(Reflect.get(Object(Service), 'Failover')) },
    field('ID')
  ]
}

export const keysKinds: readonly Kind[] = [keyKind, sessionKind, queryKind]
