// The parts of events that a caller sees: never more than the catalog shows.
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { openLeaf } from '../../../support/evidence.js'
import type { DisclosedLeaf } from '../../../../events/log/evidence/open-leaf.js'
import { createPolicy, createToken, indexOf, secretWith } from '../../support.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'

interface ShownEvent {
  readonly Topic: string
  readonly Key: string
  readonly FilterKeys: readonly string[] | null
  readonly Payload?: {
    readonly Node?: { readonly Name: string }
    readonly Service?: { readonly ServiceName: string; readonly Node: string; readonly ID: string }
    readonly Check?: { readonly Node: string; readonly CheckID: string }
  }
}

interface Line {
  readonly Events?: readonly ShownEvent[]
}

const NODES = ['alpha', 'beta', 'gamma'] as const
const SERVICES = ['web', 'web-admin', 'db'] as const

const idOf = (node: number): string => `0a0a0a0a-0000-4000-8000-00000000000${node}`
const addressOf = (node: number): string => `10.77.0.${node}`

const linesOf = (text: string): readonly Line[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map((line): Line => JSON.parse(line))

const eventsIn = (lines: readonly Line[]): readonly ShownEvent[] =>
  lines.flatMap(({ Events }) => Events ?? [])

const read = async (
  t: ExecutionContext,
  server: TestServer,
  path: string,
  token: string
): Promise<string> => {
  const { status, text } = await server.send('GET', path, { token })
  t.is(status, 200, `${path}: ${text}`)
  return text
}

/** Every service on every node; each instance has a check. */
const withInstances = async (t: ExecutionContext) => {
  const server = await serverInProcess(t)
  for (const [i, Node] of NODES.entries())
    for (const Service of SERVICES) {
      const ID = `${Service}-${i}`
      const body = {
        ID: idOf(i),
        Node,
        Address: addressOf(i),
        NodeMeta: { rack: `rack-of-${Node}` },
        Service: { ID, Service },
        Check: { Node, CheckID: `check-${ID}`, Name: 'c', Status: 'passing', ServiceID: ID }
      }
      t.is((await server.send('PUT', '/v1/catalog/register', { body })).status, 200)
    }
  return server
}

/** Instances, nodes and checks that the catalog shows to a token. */
const catalogOf = async (t: ExecutionContext, server: TestServer, token: string) => {
  const instances: string[] = []
  const checks: string[] = []
  for (const name of SERVICES) {
    const found: readonly { readonly Node: string; readonly ServiceID: string }[] = JSON.parse(
      await read(t, server, `/v1/catalog/service/${name}`, token)
    )
    instances.push(...found.map(({ Node, ServiceID }) => `${Node}/${ServiceID}`))
    const ofService: readonly { readonly Node: string; readonly CheckID: string }[] = JSON.parse(
      await read(t, server, `/v1/health/checks/${name}`, token)
    )
    checks.push(...ofService.map(({ Node, CheckID }) => `${Node}/${CheckID}`))
  }
  const nodes: readonly { readonly Node: string }[] = JSON.parse(
    await read(t, server, '/v1/catalog/nodes', token)
  )
  const names = nodes.map(({ Node }) => Node).filter(name => NODES.some(node => node === name))
  return { instances: instances.toSorted(), nodes: names.toSorted(), checks: checks.toSorted() }
}

const namesIn = (events: readonly ShownEvent[]) => {
  const names = (nameOf: (payload: NonNullable<ShownEvent['Payload']>) => string | undefined) =>
    [...new Set(events.flatMap(({ Payload }) => (Payload && nameOf(Payload)) ?? []))].toSorted()
  return {
    instances: names(({ Service }) =>
      NODES.some(node => node === Service?.Node) ? `${Service?.Node}/${Service?.ID}` : undefined
    ),
    nodes: names(({ Node }) => (NODES.some(node => node === Node?.Name) ? Node?.Name : undefined)),
    checks: names(({ Check }) =>
      Check?.CheckID.startsWith('check-') ? `${Check.Node}/${Check.CheckID}` : undefined
    ),
    services: names(({ Service }) => (Service?.ServiceName === 'consul' ? undefined : Service?.ServiceName))
  }
}

/** All that is shown of what the log has of the instances, wherever it is shown. */
const shownTo = async (t: ExecutionContext, server: TestServer, token: string) => {
  const last = server.app.views.index
  const texts = [
    await read(t, server, `/v1/event/stream?topic=any&index=1&until=${last}`, token),
    await read(t, server, `/v1/event/stream?topic=any&snapshot=true&until=${last}`, token),
    await read(t, server, `/v1/event/audit?payload=true`, token),
    JSON.parse(await read(t, server, `/v1/event/state?topic=any&at=${last}`, token))
      .map((line: Line) => JSON.stringify(line))
      .join('\n')
  ]
  const leaves: DisclosedLeaf[] = []
  for (let index = 1; index <= last; index++)
    leaves.push(JSON.parse(await read(t, server, `/v1/event/leaf?index=${index}`, token)))
  return { texts, leaves }
}

const rule = fc
  .record({
    resource: fc.constantFrom('node', 'service'),
    isPrefix: fc.boolean(),
    name: fc.constantFrom('', ...NODES, ...SERVICES),
    policy: fc.constantFrom('read', 'write', 'deny')
  })
  .filter(({ isPrefix, name }) => isPrefix || name !== '')

test('stream, snapshot, state, audit, history and leaves show of nodes, instances and checks what the catalog shows', async t => {
  const server = await withInstances(t)
  let number = 0
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { maxLength: 6 }), async rules => {
      const distinct = new Map(rules.map(each => [`${each.resource}/${each.isPrefix}/${each.name}`, each]))
      const text = [...distinct.values()].map(
        ({ resource, isPrefix, name, policy }) =>
          `${resource}${isPrefix ? '_prefix' : ''} "${name}" { policy = "${policy}" }`
      )
      const token = await secretWith(server, `p${number++}`, ['operator = "read"', ...text].join('\n'))
      const catalog = await catalogOf(t, server, token)
      const hidden = NODES.flatMap((name, i) =>
        catalog.nodes.includes(name) ? [] : [`"${name}"`, idOf(i), addressOf(i), `rack-of-${name}`]
      )
      const { texts, leaves } = await shownTo(t, server, token)
      for (const shown of texts) {
        const { services: _, ...names } = namesIn(eventsIn(linesOf(shown)))
        t.deepEqual(names, catalog, shown)
      }
      const keys = new Set(eventsIn(linesOf(texts[0] ?? '')).map(({ Key }) => Key))
      for (const [i] of NODES.entries())
        for (const name of SERVICES) {
          const path = `/v1/event/history?topic=Service&key=${name}-${i}&payload=true`
          const history = await server.send('GET', path, { token })
          t.is(history.status, keys.has(`${name}-${i}`) ? 200 : 403, path)
          texts.push(history.text)
        }
      const opened = eventsIn(leaves.map(leaf => openLeaf(leaf).commit))
      const { services: _, ...names } = namesIn(opened)
      t.deepEqual(names, catalog)
      for (const shown of [...texts, JSON.stringify(opened)])
        for (const secret of hidden) t.false(shown.includes(secret), `${secret} in ${shown}`)
    }),
    { numRuns: 8 }
  )
})

test('without node:read an event of a service has no node, and is found by none of its fields', async t => {
  const server = await withInstances(t)
  const token = await secretWith(
    server,
    'services',
    'operator = "read"\nservice_prefix "" { policy = "read" }'
  )
  const { texts, leaves } = await shownTo(t, server, token)
  for (const shown of texts)
    t.deepEqual(namesIn(eventsIn(linesOf(shown))), {
      instances: [],
      nodes: [],
      checks: [],
      services: SERVICES.toSorted()
    })
  t.deepEqual(
    leaves.flatMap(leaf => openLeaf(leaf).commit.Events.filter(({ Topic }) => Topic === 'Service')),
    []
  )
  const last = server.app.views.index
  for (const query of [
    'topic=Service:alpha',
    'topic=any:alpha',
    `topic=Service:${idOf(0)}`,
    `topic=Service&filter=${encodeURIComponent('Payload.Service.Node == "alpha"')}`,
    `topic=Service&filter=${encodeURIComponent(`Payload.Service.Address == "${addressOf(0)}"`)}`,
    `topic=Service&filter=${encodeURIComponent('"alpha" in FilterKeys')}`
  ])
    t.deepEqual(
      eventsIn(linesOf(await read(t, server, `/v1/event/stream?${query}&index=1&until=${last}`, token))),
      [],
      query
    )
  const history = await read(t, server, '/v1/event/history?topic=Service&key=web-0&payload=true', token)
  t.regex(history, /"ServiceName":"web"/)
  for (const secret of ['alpha', idOf(0), addressOf(0)]) t.false(history.includes(secret), history)
  const ofNode = await server.send('GET', '/v1/event/history?topic=Service&key=web-0&node=alpha', { token })
  t.is(ofNode.status, 403)
  t.regex(ofNode.text, /lacks permission 'node:read' on "alpha"/)
})

test('the address of a service of its own is shown without node:read', async t => {
  const server = await serverInProcess(t)
  const body = { Node: 'alpha', Address: '10.77.0.1', Service: { Service: 'web', Address: '10.88.0.1' } }
  const index = indexOf(await server.send('PUT', '/v1/catalog/register', { body }))
  const token = await secretWith(server, 'web', 'service "web" { policy = "read" }')
  const text = await read(
    t,
    server,
    `/v1/event/stream?topic=Service:web&index=${index}&until=${index}`,
    token
  )
  t.regex(text, /"Address":"10\.88\.0\.1"/)
  t.false(/alpha|10\.77/.test(text), text)
})

test('a live stream has the same lines as one that reads the log', async t => {
  const server = await serverInProcess(t)
  const ID = await createPolicy(server, 'web', 'service_prefix "" { policy = "read" }')
  const { SecretID: token } = await createToken(server, { Policies: [{ ID }] })
  const from = server.app.views.index + 1
  const live = server.send('GET', `/v1/event/stream?topic=Service&index=${from}&until=${from + 1}`, { token })
  for (const Port of [80, 81]) {
    const body = { Node: 'alpha', Address: '10.77.0.1', Service: { Service: 'web', Port } }
    t.is((await server.send('PUT', '/v1/catalog/register', { body })).status, 200)
  }
  const { text } = await live
  t.false(/alpha|10\.77/.test(text), text)
  t.is(eventsIn(linesOf(text)).length, 2)
  const later = await read(t, server, `/v1/event/stream?topic=Service&index=${from}&until=${from + 1}`, token)
  t.deepEqual(eventsIn(linesOf(later)), eventsIn(linesOf(text)))
})
