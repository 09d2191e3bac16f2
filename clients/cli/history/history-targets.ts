// The resource kinds with a history, by their names on the command line.
import type { Schemas } from '../../typescript/typed/index.js'
import type { Run } from '../remote/command.js'
import {
  configEntries,
  keyNames,
  namesAt,
  nodeNames,
  oneOf,
  serviceNames,
  type CompletionSource
} from '../completion/sources.js'
import { UsageError } from '../console.js'
import { optional, required } from '../remote/flags.js'
import { isUuid } from '../../../actors/uuid.js'

interface Kind {
  readonly topic: string
  /** Undefined if only lists show the kind. */
  readonly path?: (key: string) => string
  /** For kinds whose key is an ID. */
  readonly byName?: (name: string) => string
  /** The key is unique on its node only. */
  readonly isOnNode?: true
}

const below =
  (path: string) =>
  (key: string): string =>
    `${path}/${encodeURIComponent(key)}`

const entryPath = (key: string): string => `/v1/config/${key.split('/').map(encodeURIComponent).join('/')}`

const kinds = {
  kv: { topic: 'KV', path: below('/v1/kv') },
  config: { topic: 'ConfigEntry', path: entryPath },
  policy: { topic: 'ACLPolicy', path: below('/v1/acl/policy'), byName: below('/v1/acl/policy/name') },
  role: { topic: 'ACLRole', path: below('/v1/acl/role'), byName: below('/v1/acl/role/name') },
  token: { topic: 'ACLToken', path: below('/v1/acl/token') },
  'auth-method': { topic: 'ACLAuthMethod', path: below('/v1/acl/auth-method') },
  'binding-rule': { topic: 'ACLBindingRule', path: below('/v1/acl/binding-rule') },
  query: { topic: 'PreparedQuery', path: below('/v1/query') },
  session: { topic: 'Session', path: below('/v1/session/info') },
  namespace: { topic: 'Namespace', path: below('/v1/namespace') },
  partition: { topic: 'Partition', path: below('/v1/partition') },
  node: { topic: 'Node', path: below('/v1/catalog/node'), byName: below('/v1/catalog/node') },
  service: { topic: 'Service', isOnNode: true },
  check: { topic: 'Check', isOnNode: true }
} satisfies Readonly<Record<string, Kind>>

const KINDS: ReadonlyMap<string, Kind> = new Map(Object.entries(kinds))

const KIND_NAMES = [...KINDS.keys()].join(', ')

const LISTS: Readonly<Record<string, CompletionSource>> = {
  kv: keyNames,
  config: configEntries,
  policy: namesAt('/v1/acl/policies'),
  role: namesAt('/v1/acl/roles'),
  token: namesAt('/v1/acl/tokens', 'AccessorID'),
  'auth-method': namesAt('/v1/acl/auth-methods'),
  'binding-rule': namesAt('/v1/acl/binding-rules', 'ID'),
  query: namesAt('/v1/query', 'ID'),
  session: namesAt('/v1/session/list', 'ID'),
  namespace: namesAt('/v1/namespaces'),
  partition: namesAt('/v1/partitions'),
  node: nodeNames,
  service: serviceNames
}

const keyOfKind: CompletionSource = async request => (await LISTS[request.args[0] ?? '']?.(request)) ?? []

/** The arguments of a command that may name a change set instead. */
export const optionalTargetArguments = {
  kind: optional(KIND_NAMES, oneOf([...KINDS.keys()])),
  key: optional('its key, name or ID; KIND/NAME of a configuration entry', keyOfKind)
}

export const targetArguments = {
  kind: required(KIND_NAMES, oneOf([...KINDS.keys()])),
  key: required('its key, name or ID; KIND/NAME of a configuration entry', keyOfKind)
}

interface CommandTarget {
  readonly topic: string
  readonly key: string
  readonly isOnNode: boolean
  readonly path: string | undefined
}

/** Finds the resource of the arguments. A deleted resource is found by its ID only. @throws UsageError */
export const findTarget = async (
  get: Run['get'],
  { kind: name, key }: { readonly kind: string; readonly key: string }
): Promise<CommandTarget> => {
  const kind = KINDS.get(name)
  if (!kind) throw new UsageError(`there is no kind "${name}": it is one of ${KIND_NAMES}`)
  const { topic, path, byName, isOnNode = false } = kind
  if (!byName || isUuid(key)) return { topic, key, isOnNode, path: path?.(key) }
  const found = await (
    await get(byName(key))
  ).json<Partial<Schemas['Policy'] & Schemas['NodeServices']> | null>()
  const id = found?.ID ?? found?.Node?.ID
  if (!id) throw new UsageError(`there is no ${name} "${key}" now: name it by its ID`)
  return { topic, key: id, isOnNode, path: name === 'node' ? byName(key) : path?.(id) }
}

/** @throws UsageError if only lists show the kind */
export const readPathOf = ({ path }: CommandTarget, kind: string): string => {
  if (path === undefined)
    throw new UsageError(`a ${kind} is not read by itself: see \`annals history ${kind}\``)
  return path
}
