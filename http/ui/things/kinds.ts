// The kinds of things that are shown: what the event stream calls them, and what of them stands in a list.
import type { StreamedEvent } from '../../../client/stream-line.js'

/** A thing as the stream shows it. */
export type Fields = Readonly<Record<string, unknown>>

interface Column {
  readonly title: string
  readonly text: (fields: Fields) => string
}

export interface Kind {
  /** In addresses of pages. */
  readonly path: string
  readonly title: string
  /** The key that leads there, after `g`. */
  readonly key: string
  readonly topic: string
  readonly columns: readonly Column[]
  /** Whether keys are listed by their folders. */
  readonly isTree?: true
}

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const field = (title: string, name = title): Column => ({ title, text: fields => textOf(fields[name]) })

/** Names of what is linked. */
const names = (title: string, name = title): Column => ({
  title,
  text: fields => {
    const list: unknown = fields[name]
    if (!Array.isArray(list)) return ''
    return list
      .map(each => textOf(Reflect.get(Object(each), 'Name') ?? Reflect.get(Object(each), 'ServiceName')))
      .join(', ')
  }
})

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))

/** The text whose UTF-8 this is in Base64; undefined where it is no text. */
export const textInBase64 = (base64: string): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOf(base64))
  } catch {
    return undefined
  }
}

/** What a key holds, if it is text. */
const decoded = (value: unknown): string => {
  if (typeof value !== 'string') return ''
  return textInBase64(value) ?? `${bytesOf(value).length} bytes`
}

export const kinds: readonly Kind[] = [
  {
    path: 'tokens',
    title: 'Tokens',
    key: 't',
    topic: 'ACLToken',
    columns: [
      field('AccessorID'),
      field('Description'),
      names('Policies'),
      names('Roles'),
      names('Services', 'ServiceIdentities'),
      field('Expires', 'ExpirationTime')
    ]
  },
  {
    path: 'policies',
    title: 'Policies',
    key: 'p',
    topic: 'ACLPolicy',
    columns: [field('Name'), field('Description'), field('ID')]
  },
  {
    path: 'roles',
    title: 'Roles',
    key: 'r',
    topic: 'ACLRole',
    columns: [field('Name'), names('Policies'), field('Description')]
  },
  {
    path: 'auth-methods',
    title: 'Auth methods',
    key: 'a',
    topic: 'ACLAuthMethod',
    columns: [field('Name'), field('Type'), field('Description')]
  },
  {
    path: 'binding-rules',
    title: 'Binding rules',
    key: 'b',
    topic: 'ACLBindingRule',
    columns: [field('AuthMethod'), field('Selector'), field('BindType'), field('BindName')]
  },
  {
    path: 'services',
    title: 'Services',
    key: 's',
    topic: 'Service',
    columns: [field('Service', 'ServiceName'), field('ID'), field('Address'), field('Port'), field('Tags')]
  },
  {
    path: 'checks',
    title: 'Checks',
    key: 'h',
    topic: 'Check',
    columns: [field('Status'), field('Name'), field('Service', 'ServiceName'), field('Node'), field('Output')]
  },
  {
    path: 'nodes',
    title: 'Nodes',
    key: 'n',
    topic: 'Node',
    columns: [field('Name'), field('HTTPAddr'), field('ID')]
  },
  {
    path: 'keys',
    title: 'Keys',
    key: 'k',
    topic: 'KV',
    isTree: true,
    columns: [
      field('Key'),
      { title: 'Value', text: ({ Value }) => decoded(Value) },
      field('Flags'),
      field('Session')
    ]
  },
  {
    path: 'sessions',
    title: 'Sessions',
    key: 'x',
    topic: 'Session',
    columns: [field('Name'), field('ID'), field('Node'), field('TTL'), field('Behavior')]
  },
  {
    path: 'config',
    title: 'Configuration entries',
    key: 'c',
    topic: 'ConfigEntry',
    columns: [field('Kind'), field('Name')]
  },
  {
    path: 'queries',
    title: 'Prepared queries',
    key: 'q',
    topic: 'PreparedQuery',
    columns: [
      field('Name'),
      { title: 'Service', text: ({ Service }) => textOf(Reflect.get(Object(Service), 'Service')) },
      field('ID')
    ]
  },
  {
    path: 'namespaces',
    title: 'Namespaces',
    key: 'm',
    topic: 'Namespace',
    columns: [field('Name'), field('Description')]
  },
  {
    path: 'partitions',
    title: 'Partitions',
    key: 'o',
    topic: 'Partition',
    columns: [field('Name'), field('Description')]
  }
]

/** What a payload says of its thing. */
export const fieldsOf = (payload: StreamedEvent['Payload']): Fields => Object(Object.values(payload)[0])

/** The node that tells a service or check from those of the same key on others. */
export const nodeOf = ({ Topic, Payload }: StreamedEvent): string | undefined => {
  const { Node } = fieldsOf(Payload)
  return (Topic === 'Service' || Topic === 'Check') && typeof Node === 'string' ? Node : undefined
}

/** The page of the thing that an event is about. */
export const addressOf = (kind: Kind, event: StreamedEvent): string => {
  const { Key, Namespace, Partition = '' } = event
  const node = nodeOf(event)
  const named = { key: Key, ns: Namespace, partition: Partition, ...(node === undefined ? {} : { node }) }
  return `/ui/${kind.path}/one?${new URLSearchParams(named)}`
}

/** What a thing of a kind is called. */
export const titleOf = ({ columns }: Kind, payload: StreamedEvent['Payload']): string =>
  columns[0]?.text(fieldsOf(payload)) ?? ''
