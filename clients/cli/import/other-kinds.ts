import { recovery } from '../../../events/errors.js'
import { isObject } from '../../../events/values.js'
import { RequestRefused } from '../../typescript/failures.js'
import { pathOf, type Entry } from '../kv/entries.js'
import type { Kind, Writing } from './import-run.js'
import type { Reader } from './reader.js'
import { linksIn, refused, textIn, whyHidden, writableIn, type Row, type Resource } from './resource.js'

const INTENTIONS = 'service-intentions'

const sourcesIn = (entry: Row): readonly Row[] =>
  Array.isArray(entry['Sources']) ? entry['Sources'].filter(isObject) : []

/** Returns a key that is unique within a namespace of destinations. */
const partiesOf = (destination: string, source: string, namespace: string): string =>
  JSON.stringify([destination, source, namespace || 'default'])

/** Adds the Meta of each source as `LegacyMeta`: only `/v1/connect/intentions` shows it. @throws RequestRefused, Unreachable */
const withMeta = async (reader: Reader, entries: readonly Row[]): Promise<readonly Row[]> => {
  if (entries.length === 0) return entries
  const metas = new Map<string, unknown>()
  for (const intention of await reader.list('/v1/connect/intentions')) {
    const { ID, Meta } = intention
    if (!ID || !isObject(Meta) || Object.keys(Meta).length === 0) continue
    const [destination, source] = [textIn(intention, 'DestinationName'), textIn(intention, 'SourceName')]
    metas.set(partiesOf(destination, source, textIn(intention, 'SourceNS')), Meta)
  }
  return entries.map(entry => ({
    ...entry,
    Sources: sourcesIn(entry).map(shown => {
      const { LegacyID: _id, LegacyCreateTime: _created, LegacyUpdateTime: _updated, ...source } = shown
      const namespace = textIn(source, 'Namespace') || reader.namespace
      const LegacyMeta = metas.get(partiesOf(textIn(entry, 'Name'), textIn(source, 'Name'), namespace))
      return LegacyMeta === undefined ? source : { ...source, LegacyMeta }
    })
  }))
}

/** Replaces an entry whose sources have Meta by separate intentions. Returns undefined for other entries. */
const intentionWritings = (entry: Row): readonly Writing[] | undefined => {
  const sources = sourcesIn(entry)
  if (!sources.some(source => source['LegacyMeta'])) return undefined
  const path = `/v1/config/${INTENTIONS}/${encodeURIComponent(textIn(entry, 'Name'))}`
  const bodies = sources.map(source => ({
    SourceName: source['Name'],
    SourceNS: source['Namespace'],
    SourceType: source['Type'],
    DestinationName: entry['Name'],
    Action: source['Action'],
    Description: source['Description'],
    Meta: source['LegacyMeta']
  }))
  return [
    { method: 'DELETE', path },
    ...bodies.map(body => ({ method: 'POST', path: '/v1/connect/intentions', body }) as const)
  ]
}

const namespaceRows = async (reader: Reader): Promise<readonly Row[]> =>
  (await reader.list('/v1/namespaces')).filter(
    row => row['DeletedAt'] === undefined || row['DeletedAt'] === null
  )

const isDefault = (row: Row): boolean => textIn(row, 'Name') === 'default'

/** The token defaults follow in `namespaceDefaults`, after the policies and roles. */
export const namespaces: Kind = {
  name: 'namespace',
  isNamespaced: false,
  read: async reader =>
    (await namespaceRows(reader))
      .filter(row => !isDefault(row))
      .map(row => {
        const { Name, Description, Meta } = row
        return { name: textIn(row, 'Name'), body: { Name, Description, Meta } }
      }),
  writing: ({ name, body }, there) => [
    { method: 'PUT', path: there ? `/v1/namespace/${encodeURIComponent(name)}` : '/v1/namespace', body }
  ]
}

export const namespaceDefaults: Kind = {
  name: 'namespace-defaults',
  isNamespaced: false,
  read: async reader =>
    (await namespaceRows(reader)).flatMap(row => {
      const { Name, Description, Meta } = row
      const acls = Object(row['ACLs'])
      const [PolicyDefaults, RoleDefaults] = [linksIn(acls.PolicyDefaults), linksIn(acls.RoleDefaults)]
      const name = textIn(row, 'Name')
      const body = { Name, Description, Meta, ACLs: { PolicyDefaults, RoleDefaults } }
      const isAsMade = PolicyDefaults.length + RoleDefaults.length === 0
      return [{ name, body, ...(isAsMade ? { isAsMade } : {}) }]
    }),
  writing: ({ name, body }) => [{ method: 'PUT', path: `/v1/namespace/${encodeURIComponent(name)}`, body }]
}

/** Referenced kinds come before the kinds that refer to them. Entries of kinds unknown to the target are reported one by one. */
const CONFIG_KINDS = [
  'proxy-defaults',
  'mesh',
  'service-defaults',
  'jwt-provider',
  'sameness-group',
  'exported-services',
  'control-plane-request-limit',
  'service-resolver',
  'service-splitter',
  'service-router',
  'service-intentions',
  'inline-certificate',
  'file-system-certificate',
  'ingress-gateway',
  'terminating-gateway',
  'api-gateway',
  'http-route',
  'tcp-route'
] as const

const entryOf = (kind: string, row: Row): Resource => {
  const body = writableIn(row)
  const cannot = whyHidden(body)
  return { name: `${kind}/${textIn(row, 'Name')}`, body, ...(cannot === undefined ? {} : { cannot }) }
}

/** @throws RequestRefused, Unreachable */
const entriesOfKind = async (reader: Reader, kind: string): Promise<readonly Resource[]> => {
  const rows = (await reader.configEntries(kind)) ?? []
  const all = kind === INTENTIONS ? await withMeta(reader, rows) : rows
  return all.map(row => entryOf(kind, row))
}

export const configEntries: Kind = {
  name: 'config-entry',
  isNamespaced: true,
  needs: [
    { Resource: 'service', Access: 'read' },
    { Resource: 'intention', Access: 'read' }
  ],
  read: async reader => {
    const all: Resource[] = []
    // A kind that the server refuses to list does not hide the others.
    for (const kind of CONFIG_KINDS) {
      const hidden = recovery(RequestRefused, error => [refused(`${kind}/*`, error)])
      all.push(...(await entriesOfKind(reader, kind).catch(hidden)))
    }
    return all
  },
  foreseen: async (resources, target) => {
    const why = new Map<string, string>()
    for (const kind of new Set(resources.map(({ body }) => textIn(body, 'Kind'))))
      if (kind !== '' && (await target.configEntries(kind)) === undefined)
        for (const { name, body } of resources)
          if (body['Kind'] === kind) why.set(name, `kind ${kind} is not known here`)
    return why
  },
  writing: ({ body }) => intentionWritings(body) ?? [{ method: 'PUT', path: '/v1/config', body }]
}

export const queries: Kind = {
  name: 'query',
  isNamespaced: false,
  needs: [{ Resource: 'query', Access: 'read' }],
  read: async reader =>
    (await reader.list('/v1/query')).map(row => {
      const body = writableIn(row)
      const name = textIn(row, 'Name')
      const cannot =
        (textIn(row, 'Session') !== '' && 'it ends with a session, and sessions are not imported') ||
        (name === '' && 'it has no name, and would get another ID') ||
        whyHidden(body)
      const id = textIn(row, 'ID')
      return { name: name === '' ? id : name, id, body, ...(cannot ? { cannot } : {}) }
    }),
  writing: ({ body }, there) =>
    there?.id === undefined
      ? [{ method: 'POST', path: '/v1/query', body }]
      : [{ method: 'PUT', path: `/v1/query/${there.id}`, body }]
}

/** @param Value Base64 */
export const keyResource = (Key: string, Flags: number | bigint, Value: string): Resource => ({
  name: Key,
  body: { Key, Flags, Value }
})

const setting = ({ body }: Resource): object => ({ KV: { Verb: 'set', ...body } })

const TRANSACTION = { method: 'PUT', path: '/v1/txn' } as const

/** URLs cannot end with these names. */
const isInUrls = (key: string): boolean => key !== '.' && key !== '..'

/** Writes one key, whose value may exceed the limit of a transaction. */
const puttingKey = ({ name, body }: Resource): Writing => ({
  method: 'PUT',
  path: pathOf(name),
  query: { flags: String(body['Flags']) },
  body: Buffer.from(textIn(body, 'Value'), 'base64')
})

const isEntry = (row: Row): row is Row & Entry => typeof row['Key'] === 'string'

/** Sessions are not imported, so no lock is held. */
export const keys: Kind = {
  name: 'key',
  isNamespaced: true,
  needs: [{ Resource: 'key', Access: 'read' }],
  needsForAll: { Resource: 'key', Access: 'write-prefix' },
  read: async reader =>
    (await reader.list('/v1/kv/', { recurse: true }))
      .filter(isEntry)
      .map(({ Key, Flags, Value }) => keyResource(Key, Flags, Value ?? '')),
  writing: resource => [
    isInUrls(resource.name) ? puttingKey(resource) : { ...TRANSACTION, body: [setting(resource)] }
  ],
  together: resources => ({ ...TRANSACTION, body: resources.map(setting) })
}

/** Removes empty fields, some of which other versions reject. */
const filled = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== '' && value !== null))

const OWN_SERVICE = 'consul'
const AGENT_CHECK = 'serfHealth'
const OF_AGENT = 'an agent registers it, and does so at the new server'

export const catalog: Kind = {
  name: 'node',
  isNamespaced: true,
  isByChoice: true,
  needs: [
    { Resource: 'node', Access: 'read' },
    { Resource: 'service', Access: 'read' }
  ],
  read: async reader => {
    const all: Resource[] = []
    for (const { Node: name } of await reader.list('/v1/catalog/nodes')) {
      if (typeof name !== 'string') continue
      const path = encodeURIComponent(name)
      const found = await reader.one(`/v1/catalog/node/${path}`)
      const node = Object(found?.['Node'])
      const services: readonly Row[] = Object.values<Row>(Object(found?.['Services']))
      const checks = await reader.list(`/v1/health/node/${path}`)
      if (checks.some(row => row['CheckID'] === AGENT_CHECK)) {
        all.push({ name, body: {}, cannot: OF_AGENT })
        continue
      }
      const { ID, Address, TaggedAddresses, Meta } = node
      all.push({
        name,
        body: {
          Node: { ID, Node: name, Address, TaggedAddresses, NodeMeta: Meta },
          Services: services
            .filter(({ Service }) => Service !== OWN_SERVICE)
            .map(service => ({ ...filled(writableIn(service)), ID: service['ID'] })),
          Checks: checks.map(check => ({ ...filled(writableIn(check)), Status: check['Status'] }))
        }
      })
    }
    return all
  },
  writing: ({ body }) => {
    const node = Object(body['Node'])
    const services: readonly Row[] = Array.isArray(body['Services']) ? body['Services'] : []
    const registered = services.map(Service => ({ ...node, Service }))
    const bodies = [{ ...node, Checks: [] }, ...registered, { ...node, Checks: body['Checks'] }]
    return bodies.map(registration => ({ method: 'PUT', path: '/v1/catalog/register', body: registration }))
  }
}

/** @throws RequestRefused, Unreachable */
export const namespacesOf = async (reader: Reader): Promise<readonly string[]> => {
  const others = (await namespaceRows(reader)).filter(row => !isDefault(row)).map(row => textIn(row, 'Name'))
  return ['default', ...others]
}
