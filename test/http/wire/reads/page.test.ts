// Pagination: a walk returns the complete list, for every list, caller and namespace, also during writes.
import test from 'ava'
import fc from 'fast-check'
import { allRoutes } from '../../../support/routes.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { createPolicy, indexOf, secretWith } from '../../support.js'
import { filled, LISTS, put } from './lists.js'

/** Returns the entries of a list as texts: elements of an array, entries of a map, or those of a node's services. */
const shownIn = (text: string): readonly string[] => {
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value)) return value.map(one => JSON.stringify(one))
  if (typeof value !== 'object' || value === null) return []
  const services: unknown = Reflect.get(value, 'Services')
  if (Array.isArray(services)) return services.map(one => JSON.stringify(one))
  return Object.entries(services ?? value).map(entry => JSON.stringify(entry))
}

const withLimit = (path: string, limit: number): string =>
  `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`

const nextOf = (link: unknown): string | undefined =>
  typeof link === 'string' ? /^<([^>]*)>; rel="next"$/.exec(link)?.[1] : undefined

/** Returns the entries of all pages of a list in order. */
const walk = async (
  server: TestServer,
  first: string,
  { token, between }: { readonly token?: string; readonly between?: () => Promise<unknown> } = {}
): Promise<{
  readonly shown: readonly string[]
  readonly sizes: readonly number[]
  readonly isFiltered: boolean
}> => {
  const shown: string[] = []
  const sizes: number[] = []
  let isFiltered = false
  for (let path: string | undefined = first; path !== undefined;) {
    const { status, text, headers } = await server.send('GET', path, token ? { token } : {})
    if (status === 404) break
    if (status !== 200) throw new Error(`${path} was answered ${status} ${text}`)
    const page = shownIn(text)
    shown.push(...page)
    sizes.push(page.length)
    isFiltered ||= headers['x-service-results-filtered-by-acls'] === 'true'
    path = nextOf(headers['link'])
    await between?.()
  }
  return { shown, sizes, isFiltered }
}

test('every list that says so can be asked for in pages', t => {
  const paged = allRoutes.filter(({ isPaged }) => isPaged).map(({ path }) => path)
  t.deepEqual(Object.keys(LISTS).toSorted(), paged.toSorted())
})

test('the pages of every list together show what the whole list shows', async t => {
  const { server, policy } = await filled(t)
  for (const given of Object.values(LISTS).flat()) {
    const path = given.replace('POLICY', policy)
    const whole = await server.send('GET', encodeURI(path))
    t.is(whole.status, 200, `${path}: ${whole.text}`)
    const expected = shownIn(whole.text)
    t.true(expected.length >= (path.includes('filter') ? 1 : 2), `${path} shows ${whole.text}`)
    t.is(whole.headers['link'], undefined)
    for (const limit of [1, 1000]) {
      const { shown, sizes } = await walk(server, withLimit(path, limit))
      t.deepEqual(shown.toSorted(), expected.toSorted(), `${path} by ${limit}`)
      t.deepEqual(
        sizes,
        sizes.map((_, i) => Math.min(limit, expected.length - i * limit)),
        `${path} by ${limit}`
      )
      const page = await server.send('GET', encodeURI(withLimit(path, limit)))
      t.is(indexOf(page), indexOf(whole), path)
    }
  }
})

test('pages are filled with what the caller may see, and say when something was left out', async t => {
  const { server, policy } = await filled(t)
  const rules = [
    'namespace "team" { acl = "read" key_prefix "k2" { policy = "read" } }',
    'key_prefix "k2" { policy = "read" }',
    'key_prefix "k4" { policy = "read" }',
    'node "n1" { policy = "read" }',
    'node "n4" { policy = "read" }',
    'service_prefix "web" { policy = "read" }',
    'service "s3" { policy = "read" }',
    'service "front" { policy = "read" }',
    'session "n1" { policy = "read" }',
    'query "q3" { policy = "read" }'
  ].join('\n')
  const token = await secretWith(server, 'some', rules)
  for (const given of Object.values(LISTS).flat()) {
    const path = given.replace('POLICY', policy)
    const whole = await server.send('GET', encodeURI(path), { token })
    if (whole.status === 403) {
      t.is((await server.send('GET', encodeURI(withLimit(path, 1)), { token })).status, 403, path)
      continue
    }
    const expected = whole.status === 404 ? [] : shownIn(whole.text)
    const { shown, sizes, isFiltered } = await walk(server, withLimit(path, 2), { token })
    t.deepEqual(shown.toSorted(), expected.toSorted(), path)
    t.true(
      sizes.slice(0, -1).every(size => size === 2),
      `${path}: ${sizes.join(' ')}`
    )
    t.is(isFiltered, whole.headers['x-service-results-filtered-by-acls'] === 'true', path)
  }
  const unknown = await server.send('GET', '/v1/catalog/nodes?limit=1', { token: 'unknown' })
  t.deepEqual([unknown.status, unknown.text], [403, 'ACL not found'])
})

/** The identity of a resource in a list. */
const NAMES: Readonly<Record<string, RegExp>> = {
  '/v1/acl/policies': /"ID":"([^"]*)"/,
  '/v1/acl/tokens': /"AccessorID":"([^"]*)"/,
  '/v1/kv/?recurse': /"Key":"([^"]*)"/,
  '/v1/config/service-defaults': /"Name":"([^"]*)"/,
  '/v1/catalog/nodes': /"Node":"([^"]*)"/,
  '/v1/catalog/service/web': /"ServiceID":"([^"]*)"/,
  '/v1/health/state/any': /"CheckID":"([^"]*)"/
}

/** Creates, changes or deletes the resource with a number. */
const write = async (
  server: TestServer,
  n: number,
  policies: Map<number, string>,
  ends: boolean
): Promise<void> => {
  const name = String(n).padStart(2, '0')
  const known = policies.get(n)
  const web = { Node: `n${name}`, ServiceID: `web${name}` }
  if (ends) {
    if (known !== undefined) await server.send('DELETE', `/v1/acl/policy/${known}`)
    policies.delete(n)
    await server.send('DELETE', `/v1/kv/k${name}`)
    await server.send('DELETE', `/v1/config/service-defaults/s${name}`)
    await put(server, '/v1/catalog/deregister', { Node: web.Node })
    return
  }
  // Renaming also changes the position in the complete list.
  const body = { Name: `p${(n * 37 + policies.size * 11) % 97}-${n}-${Date.now()}` }
  const made = await put(server, known === undefined ? '/v1/acl/policy' : `/v1/acl/policy/${known}`, body)
  policies.set(n, made['ID'] ?? '')
  await put(server, '/v1/acl/token', {})
  await put(server, `/v1/kv/k${name}`, String(Math.random()))
  await put(server, '/v1/config', {
    Kind: 'service-defaults',
    Name: `s${name}`,
    Protocol: 'http',
    Meta: { at: `${Date.now()}` }
  })
  await put(server, '/v1/catalog/register', {
    Node: web.Node,
    Address: '10.0.0.1',
    Service: { ID: web.ServiceID, Service: 'web', Meta: { at: String(Math.random()) } },
    Check: { CheckID: `c${name}`, Name: 'alive', Status: n % 2 ? 'passing' : 'critical' }
  })
}

test('a walk shows once whatever was there from beginning to end, while others write', async t => {
  const server = await serverInProcess(t)
  const policies = new Map<number, string>()
  for (let n = 0; n < 12; n++) await write(server, n, policies, false)
  const writes = fc.array(fc.tuple(fc.nat({ max: 24 }), fc.boolean()), { minLength: 1, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(NAMES)),
      fc.integer({ min: 2, max: 6 }),
      fc.infiniteStream(writes),
      async (path, limit, stream) => {
        const name = NAMES[path] ?? /$^/
        const namesIn = (texts: readonly string[]): string[] =>
          texts.map(text => name.exec(text)?.[1] ?? text)
        const before = shownIn((await server.send('GET', path)).text)
        const ended = new Set<string>()
        const between = async (): Promise<void> => {
          for (const [n, ends] of stream.next().value ?? []) {
            await write(server, n, policies, ends)
            const now = new Set(namesIn(shownIn((await server.send('GET', path)).text)))
            for (const one of namesIn(before)) if (!now.has(one)) ended.add(one)
          }
        }
        const shown = namesIn((await walk(server, withLimit(path, limit), { between })).shown)
        t.is(new Set(shown).size, shown.length, `${path} shows something twice: ${shown.join(' ')}`)
        const stood = namesIn(before).filter(one => !ended.has(one))
        t.deepEqual(
          stood.filter(one => !shown.includes(one)),
          [],
          `${path} loses something`
        )
      }
    ),
    { numRuns: 10 }
  )
})

test('what is no page is refused, and a link holds no secret', async t => {
  const { server } = await filled(t)
  const refused = async (path: string, reason: RegExp): Promise<void> => {
    const { status, text } = await server.send('GET', path)
    t.is(status, 400, path)
    t.regex(text, reason)
  }
  for (const limit of ['0', '-1', 'x', '1.5', '9999999999'])
    await refused(`/v1/acl/policies?limit=${limit}`, /Invalid limit ".*": it must be a whole number/)
  await refused('/v1/acl/policies?after=%25zz', /Invalid after "%zz": take it from the Link/)
  await refused('/v1/catalog/nodes?near=n1&after=n2', /Invalid after: lists sorted by near/)
  const near = await server.send('GET', '/v1/catalog/nodes?near=n4&limit=2')
  t.is(shownIn(near.text).length, 2)
  t.is(near.headers['link'], undefined)
  const page = await server.send('GET', `/v1/acl/tokens?limit=1&index=0&wait=1s&token=${ROOT}`)
  const [token] = JSON.parse(page.text)
  t.is(page.headers['link'], `</v1/acl/tokens?limit=1&after=${token.AccessorID}>; rel="next"`)
})

test('a blocked page request ends when the list changes, and pages of earlier indexes are available', async t => {
  const server = await serverInProcess(t)
  const names = async (path: string): Promise<readonly string[]> =>
    JSON.parse((await server.send('GET', path)).text).map(({ Name }: { readonly Name: string }) => Name)
  const id = await createPolicy(server, 'first', '')
  const page = await server.send('GET', '/v1/acl/policies?limit=1')
  const waiting = server.send('GET', `/v1/acl/policies?limit=1&index=${indexOf(page)}&wait=10m`)
  await createPolicy(server, 'second', '')
  t.true(indexOf(await waiting) > indexOf(page))
  await server.send('DELETE', `/v1/acl/policy/${id}`)
  const then = await names(`/v1/acl/policies?limit=10&at=${indexOf(page)}`)
  t.true(then.includes('first'))
  t.false(then.includes('second'))
})
