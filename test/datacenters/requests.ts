// Requests that need another datacenter: the response if that is unavailable, and how long it takes.
import { setTimeout as pause } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import type { TestResponse } from '../support/client.js'
import { NAMES, type Datacenters } from './datacenters.js'

interface TimedRequest {
  readonly what: string
  readonly datacenter: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** What is wrong with the answer. */
  readonly fault: (answer: TestResponse) => string | undefined
}

/** Above all limits that there are: connections are given up after 2 s, and a silent server after some more. */
const LIMIT = 20_000

const QUERY = 'elsewhere'
const SERVICE = 'only-elsewhere'

/** A query that fails over to one datacenter, and then to another one. */
const queryBy = (first: string, next: string): string => `${QUERY}-${first}-${next}`

/** Has the services and queries that `askedOf` asks for. */
export const prepare = async ({ all }: Datacenters): Promise<void> => {
  for (const { name, server } of all) {
    const ask = async (method: string, path: string, body: unknown): Promise<void> => {
      const { status, text } = await server.send(method, path, { body })
      if (status !== 200) throw new Error(`${name}: ${method} ${path} was answered ${status} ${text}`)
    }
    await ask('PUT', '/v1/catalog/register', {
      Node: `node-of-${name}`,
      Address: '10.0.0.1',
      Service: { Service: `${SERVICE}-of-${name}`, Port: 80 }
    })
    const [one = '', other = ''] = NAMES.filter(to => to !== name)
    for (const [first, next] of [
      [one, other],
      [other, one]
    ] as const)
      await ask('POST', '/v1/query', {
        Name: queryBy(first, next),
        Service: { Service: `${SERVICE}-of-${next}`, Failover: { Datacenters: [first, next] } }
      })
  }
}

const is =
  (...results: readonly (readonly [number, RegExp])[]) =>
  ({ status, text }: TestResponse): string | undefined =>
    results.some(([one, pattern]) => status === one && pattern.test(text)) ? undefined : `${status} ${text}`

const NO_PATH = [500, /^No path to datacenter: /] as const
/** A write that was on its way may have been made. */
const UNKNOWN = [500, /^The outcome is not known: /] as const

interface Without {
  readonly asked: string
  readonly gone: string
}

/** A query that goes to the datacenter that is not there, and then to another one. */
export const queriesBy = ({ asked, gone }: Without): readonly TimedRequest[] => {
  const third = NAMES.find(name => name !== asked && name !== gone) ?? ''
  return [
    {
      what: 'a query that fails over to a third datacenter',
      datacenter: asked,
      method: 'GET',
      path: `/v1/query/${queryBy(gone, third)}/execute`,
      fault: is([200, new RegExp(`"Datacenter":"${third}"`)])
    }
  ]
}

/** Everything that `asked` cannot answer without the datacenter that is not there, and a query that another one answers instead. */
export const timedRequestsOf = ({ asked, gone }: Without): readonly TimedRequest[] => {
  const one = (
    what: string,
    method: string,
    path: string,
    fault: TimedRequest['fault'],
    body?: unknown
  ): TimedRequest => ({
    what,
    datacenter: asked,
    method,
    path,
    fault,
    ...(body === undefined ? {} : { body })
  })
  const dc = `dc=${gone}`
  return [
    one('a read', 'GET', `/v1/kv/a?${dc}`, is(NO_PATH)),
    one('a blocking read', 'GET', `/v1/kv/a?${dc}&index=1000000&wait=10m`, is(NO_PATH)),
    one('a write', 'PUT', `/v1/kv/a?${dc}`, is(NO_PATH, UNKNOWN), 'x'),
    one('a transaction', 'PUT', `/v1/txn?${dc}`, is(NO_PATH, UNKNOWN), []),
    one('a query by name', 'GET', `/v1/query/none/execute?${dc}`, is(NO_PATH)),
    one('the stream', 'GET', `/v1/event/stream?topic=KV&${dc}`, is(NO_PATH)),
    ...(gone === NAMES[0]
      ? [
          one('a policy', 'PUT', '/v1/acl/policy', is(NO_PATH, UNKNOWN), { Name: 'while-gone' }),
          one('a token', 'PUT', '/v1/acl/token', is(NO_PATH, UNKNOWN), {}),
          one('a config entry', 'PUT', '/v1/config', is(NO_PATH, UNKNOWN), {
            Kind: 'service-defaults',
            Name: 'while-gone'
          })
        ]
      : []),
    ...queriesBy({ asked, gone })
  ]
}

/** Sends all of them at once; each is answered as it should be, before `LIMIT`. */
export const assertInTime = async (
  t: ExecutionContext,
  { at }: Datacenters,
  list: readonly TimedRequest[]
): Promise<void> => {
  const hang = new AbortController()
  const results = await Promise.all(
    list.map(async ({ what, datacenter, method, path, body, fault }) => {
      const from = performance.now()
      const answer = at(datacenter)
        .server.send(method, path, body === undefined ? {} : { body })
        .then(
          got => fault(got),
          (error: unknown) => String(error)
        )
      const late = pause(LIMIT, 'it was not answered', { signal: hang.signal })
      const wrong = await Promise.race([answer, late.catch(() => undefined)])
      return { what, wrong, ms: Math.round(performance.now() - from) }
    })
  )
  hang.abort()
  t.log(results.map(({ what, ms }) => `${what} ${ms} ms`).join(', '))
  t.deepEqual(
    results.flatMap(({ what, wrong }) => (wrong === undefined ? [] : [`${what}: ${wrong}`])),
    []
  )
}
