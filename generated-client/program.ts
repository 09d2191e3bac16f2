// A client as users make one: its types are generated from the description of the API. It writes and reads a key, a token
// and a configuration entry, and prints what it read.
import createClient from 'openapi-fetch'
import type { components, paths } from './build/api.js'

const [baseUrl = '', secret = ''] = process.argv.slice(2)
const client = createClient<paths, 'application/json'>({ baseUrl, headers: { 'X-Service-Token': secret } })

/** The body of an answer. @throws Error when the request was refused */
const got = <Data>({ data, error }: { data?: Data; error?: unknown }): Data => {
  if (data === undefined) throw new Error(`refused: ${String(error)}`)
  return data
}

const key = { path: { key: 'web/port' } }
const isWritten: boolean = got(
  await client.PUT('/v1/kv/{key}', {
    params: { ...key, query: { cas: 0, flags: 42 } },
    body: '8080',
    bodySerializer: value => value,
    headers: { 'Content-Type': 'application/octet-stream' }
  })
)
const [entry] = got(await client.GET('/v1/kv/{key}', { params: key }))
if (entry === undefined || typeof entry === 'string') throw new Error('a read of a key gives entries')
const value: string | null = entry.Value
const names = got(await client.GET('/v1/kv/{key}', { params: { ...key, query: { keys: true } } }))
const raw = got(
  await client.GET('/v1/kv/{key}', { params: { ...key, query: { raw: true } }, parseAs: 'text' })
)

const token: components['schemas']['Token'] = got(
  await client.PUT('/v1/acl/token', {
    body: { Description: 'of the client', ServiceIdentities: [{ ServiceName: 'web' }] }
  })
)
const read = got(
  await client.GET('/v1/acl/token/{AccessorID}', { params: { path: { AccessorID: token.AccessorID } } })
)
const denied = await client.PUT('/v1/kv/{key}', {
  params: key,
  body: '1',
  bodySerializer: text => text,
  headers: { 'X-Service-Token': token.SecretID },
  parseAs: 'text'
})

got(
  await client.PUT('/v1/config', {
    body: {
      Kind: 'service-resolver',
      Name: 'web',
      ConnectTimeout: '3s',
      Failover: { '*': { Datacenters: ['dc2'] } }
    }
  })
)
const stored = got(
  await client.GET('/v1/config/{kind}/{name}', {
    params: { path: { kind: 'service-resolver', name: 'web' } }
  })
)
if (stored.Kind !== 'service-resolver') throw new Error('another kind was read')

const commits = got(
  await client.GET('/v1/events', { params: { query: { topic: ['KV:web/port'], index: 1, limit: '1' } } })
)
const eventOf = ({ Events: [event] = [] }: components['schemas']['StreamedCommit']): string =>
  `${event?.Topic} ${event?.Key}`
const stream = got(
  await client.GET('/v1/event/stream', {
    params: { query: { topic: ['KV:web/port'], index: '1', limit: '1' } },
    parseAs: 'text'
  })
)

console.log(
  JSON.stringify({
    isWritten,
    value,
    flags: entry.Flags,
    names,
    raw,
    identities: read.ServiceIdentities?.map(({ ServiceName }) => ServiceName),
    denied: denied.response.status,
    timeout: stored.ConnectTimeout,
    polled: commits.map(eventOf),
    streamed: stream.split('\n').filter(line => line.startsWith('{"Index":')).length,
    datacenters: stored.Failover?.['*']?.Datacenters
  })
)
