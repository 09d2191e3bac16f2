// What a dry run of a write tells is what the write then does: its outcome, every refusal, the entry and the chains.
import test from 'ava'
import fc from 'fast-check'
import type { TestResponse } from '../../../support/client.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { indexOf } from '../../support.js'

const SERVICES = ['a', 'b', 'c'] as const
const service = fc.constantFrom(...SERVICES)
const protocol = fc.constantFrom('tcp', 'http')

/** Bodies of which some break rules of their own, and others chains. */
const body = fc.oneof(
  fc.record({ Kind: fc.constant('service-defaults'), Name: service, Protocol: protocol }),
  fc.record({
    Kind: fc.constant('proxy-defaults'),
    Name: fc.constant('global'),
    Config: fc.record({ protocol })
  }),
  fc.record({
    Kind: fc.constant('service-splitter'),
    Name: service,
    Splits: fc
      .tuple(fc.constantFrom(100, 90, 60), service)
      .map(([Weight, Service]) => [{ Weight }, { Weight: 100 - Weight, Service }])
  }),
  fc.record({
    Kind: fc.constant('service-router'),
    Name: service,
    Routes: fc
      .tuple(service)
      .map(([Service]) => [{ Match: { HTTP: { PathPrefix: '/' } }, Destination: { Service } }])
  }),
  fc.record({
    Kind: fc.constant('service-resolver'),
    Name: service,
    Redirect: fc.record({ Service: service })
  }),
  fc.record({
    Kind: fc.constant('ingress-gateway'),
    Name: fc.constant('front'),
    Listeners: fc
      .tuple(service, protocol)
      .map(([Name, Protocol]) => [{ Port: 80, Protocol, Services: [{ Name }] }])
  }),
  fc.record({
    Kind: fc.constant('service-intentions'),
    Name: service,
    Sources: service.map(Name => [{ Name, Permissions: [{ Action: 'allow', HTTP: { PathPrefix: '/' } }] }])
  })
)
const cas = fc.constantFrom('', '', '', 'cas=0', 'cas=1')

/** The chain of a service as it is compiled; undefined where it does not compile. */
const chainOf = async (server: TestServer, name: string): Promise<unknown> => {
  const { status, text } = await server.send('GET', `/v1/discovery-chain/${name}`)
  return status === 200 ? JSON.parse(text).Chain : undefined
}

const chains = async (server: TestServer): Promise<ReadonlyMap<string, unknown>> =>
  new Map(await Promise.all(SERVICES.map(async name => [name, await chainOf(server, name)] as const)))

const put = (server: TestServer, entry: object, query: string): Promise<TestResponse> =>
  server.send('PUT', `/v1/config?${query}`, { body: entry })

test('a dry run tells what the write then does, and changes nothing', async t => {
  const server = await serverInProcess(t)
  // Of services without any entry, proxy-defaults alone say the protocol.
  for (const Service of SERVICES)
    await server.send('PUT', '/v1/catalog/register', {
      body: { Node: 'n', Address: '10.0.0.1', Service: { Service } }
    })
  const outcomes = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(body, cas), { minLength: 10, maxLength: 20 }), async writes => {
      for (const [entry, condition] of writes) {
        const before = await chains(server)
        const list = await server.send('GET', '/v1/config/')
        const trial = await put(server, entry, `dry-run&${condition}`)
        const unchanged = await server.send('GET', '/v1/config/')
        t.deepEqual([unchanged.text, indexOf(unchanged)], [list.text, indexOf(list)])
        const written = await put(server, entry, condition)
        const after = await chains(server)
        const said = JSON.stringify(entry)
        t.is(trial.status, 200, `${said}: ${trial.text}`)
        const { Outcome, Errors, Entry, Chains } = JSON.parse(trial.text)
        outcomes.add(Outcome)
        t.is(written.status, Outcome === 'refused' ? 400 : 200, `${said}: ${Outcome}, then ${written.text}`)
        if (Outcome === 'refused') {
          t.true(
            Errors.some((fault: string) => written.text.includes(fault)),
            `${Errors.join('; ')}, then ${written.text}`
          )
          continue
        }
        t.is(written.text, String(Outcome !== 'stale'))
        t.is(written.headers['x-service-index'] !== undefined, Outcome === 'stored', said)
        if (Outcome === 'stored') {
          const { text } = await server.send('GET', `/v1/config/${entry.Kind}/${entry.Name}`)
          t.deepEqual(JSON.parse(text), Entry)
        }
        for (const name of SERVICES) {
          const reported = Chains.find(({ Service }: { readonly Service: string }) => Service === name)
          t.deepEqual(reported?.Before ?? before.get(name), before.get(name), said)
          t.deepEqual(reported ? (reported.After ?? undefined) : before.get(name), after.get(name), said)
        }
      }
    }),
    { numRuns: 3 }
  )
  t.true(outcomes.has('stored') && outcomes.has('refused'), [...outcomes].join(' '))
})
