// Compares what all datacenters must have in common: with each other, and with the responses of clients.
import { isDeepStrictEqual } from 'node:util'
import { annals } from '../support/command-line.js'
import { until } from '../support/wait.js'
import { Violation } from '../cluster/oracle.js'
import type { AnnalsServer } from '../cluster/annals-server.js'
import { PRIMARY, type Datacenters } from './datacenters.js'
import type { GlobalKind, GlobalResource } from './global-writers.js'

/** Where each kind is listed, and which of its fields is its ID. */
const KINDS: Readonly<
  Record<GlobalKind, { readonly list: string; readonly id: string; readonly name: string }>
> = {
  policy: { list: 'policies', id: 'ID', name: 'Name' },
  role: { list: 'roles', id: 'ID', name: 'Name' },
  token: { list: 'tokens', id: 'AccessorID', name: 'AccessorID' }
}

type Content = Readonly<Record<string, unknown>>

/** What is not there, as the server tells it of policies and roles, and of tokens. */
const GONE = /^(?:404 |403 .*ACL not found)/

/** Reads, and throws what the server says where it refuses; undefined for what is not there. */
const readIfThere = async <T>(server: AnnalsServer, path: string): Promise<T | undefined> => {
  const { status, text } = await server.send('GET', path)
  if (GONE.test(`${status} ${text}`)) return undefined
  if (status !== 200) throw new Violation(`${server.name}: GET ${path} was answered ${status} ${text}`)
  const answer: T = JSON.parse(text)
  return answer
}

const read = async <T>(server: AnnalsServer, path: string): Promise<T> => {
  const found = await readIfThere<T>(server, path)
  if (found === undefined) throw new Violation(`${server.name}: GET ${path} finds nothing`)
  return found
}

/** Indexes are those of each log, and each datacenter knows when a token was last used there. */
const contentOf = ({
  CreateIndex: _created,
  ModifyIndex: _modified,
  LastUsed: _used,
  ...content
}: Content): Content => content

/** Every global resource of a server, complete with its secret, by kind and ID; without the indexes of its log. */
const globalsOf = async (server: AnnalsServer): Promise<ReadonlyMap<string, Content>> => {
  const found = new Map<string, Content>()
  for (const [kind, { list, id }] of Object.entries(KINDS))
    for (const { [id]: key, Local: isLocal } of await read<readonly Content[]>(server, `/v1/acl/${list}`)) {
      if (isLocal === true) continue
      const resource = await readIfThere<Content>(server, `/v1/acl/${kind}/${String(key)}`)
      // It may have ended since it was listed.
      if (resource) found.set(`${kind} ${String(key)}`, contentOf(resource))
    }
  return found
}

/** What differs between what a secondary has and what the primary has. */
const differences = (
  wanted: ReadonlyMap<string, Content>,
  found: ReadonlyMap<string, Content>
): readonly string[] =>
  [...new Set([...wanted.keys(), ...found.keys()])]
    .filter(key => !isDeepStrictEqual(wanted.get(key), found.get(key)))
    .map(key => `${key}: ${JSON.stringify(wanted.get(key))} there, ${JSON.stringify(found.get(key))} here`)

/**
 * Each resource is in the primary according to its client's responses.
 * @throws Violation with the first ten that are not
 */
const assertAcknowledgedGlobals = (
  resources: readonly GlobalResource[],
  primary: ReadonlyMap<string, Content>
): void => {
  const byName = new Map<string, Content>()
  for (const [key, resource] of primary) {
    const [kind = ''] = key.split(' ')
    if (kind === 'policy' || kind === 'role' || kind === 'token')
      byName.set(`${kind} ${String(resource[KINDS[kind].name])}`, resource)
  }
  const global = resources.filter(({ home }) => home === undefined)
  const faults = global.flatMap(({ kind, key, possible, secret }) => {
    const resource = byName.get(`${kind} ${key}`)
    const description = resource?.['Description']
    const isExpected = possible.some(one => one === description)
    if (isExpected && (resource === undefined || resource['SecretID'] === secret)) return []
    return [`${kind} ${key} is ${JSON.stringify(resource)}, and may be ${JSON.stringify(possible)}`]
  })
  if (faults.length > 0) throw new Violation(`${faults.length} faults:\n${faults.slice(0, 10).join('\n')}`)
}

/** Each local token is in its datacenter according to its client's responses, and nowhere else. @throws Violation with the first that is not */
const assertLocal = async ({ all }: Datacenters, resources: readonly GlobalResource[]): Promise<void> => {
  for (const { key, possible, home } of resources) {
    if (home === undefined) continue
    for (const { servers } of all) {
      const isThere = servers.some(({ base }) => base === home)
      for (const server of servers) {
        const { status, text } = await server.send('GET', `/v1/acl/token/${key}`)
        const found: Content = status === 200 ? JSON.parse(text) : {}
        const isExpected = isThere ? possible.some(one => one === found['Description']) : status === 403
        if (!isExpected)
          throw new Violation(
            `${server.name}: the local token ${key} of ${home} is ${status} ${text}, and may be ${JSON.stringify(possible)}`
          )
      }
    }
  }
}

/** What a secret gives rights to: it is read as the token itself, and asked for two rights of each policy. */
const rightsBy = async (server: AnnalsServer, secret: string, keys: readonly string[]): Promise<unknown> => {
  const self = await server.send('GET', '/v1/acl/token/self', { token: secret })
  const questions = keys.map(Segment => ({ Resource: 'key', Access: 'write', Segment }))
  const rights = await server.send('POST', '/v1/internal/acl/authorize', { token: secret, body: questions })
  return [self.status, rights.status, rights.status === 200 ? JSON.parse(rights.text) : '']
}

/**
 * Waits until each secondary has what the primary has, and compares them whole, also by what the secrets of tokens give rights to.
 * @throws Error when one does not come to have the same; Violation when rights differ, or the primary differs from the clients' responses
 */
export const assertCopied = async (
  made: Datacenters,
  resources: readonly GlobalResource[]
): Promise<void> => {
  const { all, at } = made
  const primary = at(PRIMARY).server
  const wanted = await globalsOf(primary)
  assertAcknowledgedGlobals(resources, wanted)
  await assertLocal(made, resources)
  const secrets = resources
    .flatMap(({ secret, home }) => (home === undefined ? (secret ?? []) : []))
    .slice(-20)
  const keys = resources.flatMap(({ kind, key }) => (kind === 'policy' ? [key] : [])).slice(-5)
  for (const { name, servers } of all) {
    if (name === PRIMARY) continue
    for (const server of servers) {
      let last: readonly string[] = []
      try {
        await until(`${server.name} has what the primary has`, async () => {
          last = differences(wanted, await globalsOf(server))
          return last.length === 0
        })
      } catch (error) {
        throw new Violation(`${String(error)}:\n${last.slice(0, 10).join('\n')}`, { cause: error })
      }
      for (const secret of secrets)
        if (!isDeepStrictEqual(await rightsBy(primary, secret, keys), await rightsBy(server, secret, keys)))
          throw new Violation(`${server.name}: the token with the secret ${secret} has other rights`)
    }
  }
}

interface ShownEvent {
  readonly Topic: string
  readonly Type: string
  readonly Key: string
  readonly Payload: Readonly<Record<string, Content>>
}

/**
 * No commit of a stopped secondary says again what was so already: nothing was taken over twice.
 * @throws Violation with the first ten that do
 */
export const assertNoDuplicates = async ({ name, config }: AnnalsServer): Promise<number> => {
  const { code, output, errors } = await annals(['log', 'show', '--json', '--config', config])
  if (code !== 0) throw new Violation(`${name}: ${errors}`)
  const last = new Map<string, ShownEvent>()
  const faults: string[] = []
  let count = 0
  for (const text of output.split('\n')) {
    if (text === '') continue
    const { Index, Events }: { readonly Index: number; readonly Events: readonly ShownEvent[] } =
      JSON.parse(text)
    for (const event of Events) {
      if (!event.Topic.startsWith('ACL')) continue
      count++
      const key = `${event.Topic} ${event.Key}`
      const before = last.get(key)
      if (before?.Type === event.Type && isDeepStrictEqual(whatItSays(before), whatItSays(event)))
        faults.push(`commit ${Index} of ${name} says again of ${key}: ${JSON.stringify(event.Payload)}`)
      last.set(key, event)
    }
  }
  if (faults.length > 0) throw new Violation(`${faults.length} faults:\n${faults.slice(0, 10).join('\n')}`)
  return count
}

const whatItSays = ({ Payload }: ShownEvent): readonly Content[] => Object.values(Payload).map(contentOf)
