// Cached executions never differ from recomputed ones (spec: queries.md §6.1, §6.2).
import test from 'ava'
import fc from 'fast-check'
import type { CatalogCommand } from '../../../actors/catalog/catalog.js'
import type { PreparedQuery, QueryEvent } from '../../../events/prepared-query.js'
import { allowEverything, type Authorizer } from '../../../projections/acl/authorizer.js'
import { runAtOnce } from '../../../projections/steps.js'
import { Candidates } from '../../../projections/queries/candidates.js'
import { executedJson } from '../../../projections/queries/execute.js'
import { findQuery } from '../../../projections/queries/queries.js'
import { type FoundQuery, QueryRow } from '../../../projections/queries/query-row.js'
import { LocalInstances } from '../../../projections/queries/local-instances.js'
import { Views } from '../../../projections/read-models.js'
import { checkInput, deregister, nodeInput, perform, register, serviceInput } from '../../support/catalog.js'
import { settingsOfTests } from '../../support/decision-spec.js'
import { storedQuery } from '../../support/queries.js'

const node = fc.constantFrom('a', 'B', 'c')
const id = fc.constantFrom('1', '2')
const status = fc.constantFrom('passing', 'warning', 'critical')

const registrations = fc
  .record({
    node,
    id,
    status,
    rack: fc.constantFrom('r1', 'r2'),
    service: fc.constantFrom('web', 'WEB', 'db'),
    tags: fc.subarray(['v1', 'V2']),
    proxied: fc.constantFrom('', 'web'),
    native: fc.boolean(),
    address: fc.constantFrom('10.0.0.1', 'ü.example')
  })
  .map(given =>
    register(nodeInput(given.node, { Address: given.address, Meta: { rack: given.rack } }), {
      service: serviceInput(given.service, {
        ID: given.id,
        Tags: given.tags,
        Connect: { Native: given.native },
        ...(given.proxied === '' || given.native
          ? {}
          : {
              Kind: 'connect-proxy',
              Port: 1,
              Proxy: { ...serviceInput('web').Proxy, DestinationServiceName: given.proxied }
            })
      }),
      checks: [checkInput(given.node, `of-${given.id}`, { ServiceID: given.id, Status: given.status })]
    })
  )

const changes: fc.Arbitrary<CatalogCommand> = fc.oneof(
  { weight: 3, arbitrary: registrations },
  {
    weight: 2,
    arbitrary: fc.record({ node, status }).map(given =>
      register(nodeInput(given.node), {
        checks: [checkInput(given.node, 'own', { Status: given.status })],
        skipNodeUpdate: true
      })
    )
  },
  fc.record({ node, id }).map(given => deregister(given.node, { serviceId: given.id })),
  fc.record({ node, id }).map(given => deregister(given.node, { checkId: `of-${given.id}` })),
  node.map(name => deregister(name, { checkId: 'own' })),
  node.map(name => deregister(name))
)

const queries: fc.Arbitrary<PreparedQuery> = fc
  .record({
    at: fc.nat(2),
    isTemplate: fc.boolean(),
    OnlyPassing: fc.boolean(),
    IgnoreCheckIDs: fc.constantFrom(null, ['own']),
    Tags: fc.constantFrom(null, ['v1'], ['!v2']),
    NodeMeta: fc.constantFrom(null, { rack: 'r1' }),
    Connect: fc.boolean(),
    TTL: fc.constantFrom('', '3s')
  })
  .map(({ at, isTemplate, TTL, ...filters }) =>
    storedQuery(`6b3cd0a1-6f3c-4a0e-8d1f-3d3d2c8f4d1${at}`, {
      Name: `q${at}-`,
      Template: { Type: isTemplate ? 'name_prefix_match' : '' },
      Service: { ...filters, Service: isTemplate ? '${name.suffix}' : 'web' },
      DNS: { TTL }
    })
  )

const histories = fc.array(fc.oneof({ weight: 4, arbitrary: changes }, { weight: 1, arbitrary: queries }), {
  minLength: 10,
  maxLength: 40
})

/** What is asked about after every step: each query by a name of its own. */
const NAMES = ['q0-', 'q1-', 'q2-', 'q0-web', 'q1-db', 'q2-WEB']

const butB: Authorizer = {
  ...allowEverything,
  may: (resource, _access, segment) => resource !== 'node' || segment !== 'B'
}

const save = (views: Views, query: PreparedQuery): void => {
  const event: QueryEvent = {
    Topic: 'PreparedQuery',
    Type: 'PreparedQueryUpserted',
    Key: query.ID,
    Partition: 'default',
    Namespace: 'default',
    FilterKeys: [],
    Payload: { PreparedQuery: query }
  }
  const By = { AccessorID: '', Address: '', RequestID: '', Command: 'Test' }
  views.apply({ Index: views.index + 1, Time: '2026-01-01T00:00:00Z', By, Events: [event] })
}

const answer = (
  candidates: Candidates,
  found: FoundQuery,
  connect: boolean,
  authorizer: Authorizer
): readonly string[] => {
  const instances = runAtOnce(candidates.of(found, connect, authorizer))
  const executed = { instances, datacenter: 'dc1', failovers: 0 }
  const joined = runAtOnce(executedJson(found, executed)).toString()
  return instances.length > 1 ? [joined, joined] : [joined, found.textWith(instances[0], executed)]
}

test('after any change an execution finds and shows what one finds that remembers nothing', t => {
  let answers = 0
  fc.assert(
    fc.property(histories, history => {
      const views = new Views(settingsOfTests)
      for (const step of history) {
        if ('ID' in step) save(views, step)
        else perform(views, step)
        for (const name of NAMES) {
          const kept = findQuery(views.queries, name)
          if (!kept) continue
          t.is(findQuery(views.queries, name), kept)
          const recomputed = new QueryRow(kept.row.query, kept.row.token).foundBy(name)
          for (const connect of [false, true])
            for (const authorizer of [allowEverything, butB, allowEverything]) {
              const expected = answer(
                new Candidates(new LocalInstances(views)),
                recomputed,
                connect,
                authorizer
              )
              t.deepEqual(answer(views.candidates, kept, connect, authorizer), expected)
              t.is(expected[1], expected[0])
              if (expected[0]?.includes('"Checks"')) answers++
            }
        }
      }
    }),
    { numRuns: 60 }
  )
  t.true(answers > 1000, `only ${answers} answers had instances`)
})

test('a cached result of an earlier state is not used', t => {
  const views = new Views(settingsOfTests)
  const [query] = fc.sample(queries, { numRuns: 1, seed: 1 })
  if (!query) throw new Error('no query')
  const plain = { ...query, Template: { ...query.Template, Type: '' } }
  const service = { ...plain.Service, Service: 'web', Tags: null, NodeMeta: null, Connect: false }
  const shown = (Address: string): string | undefined => {
    views.reset()
    perform(views, register(nodeInput('a', { Address }), { service: serviceInput('web') }))
    save(views, { ...plain, Service: service })
    const found = findQuery(views.queries, query.Name)
    if (!found) throw new Error('no query')
    return answer(views.candidates, found, false, allowEverything)[1]
  }
  t.regex(shown('10.0.0.1') ?? '', /10\.0\.0\.1/)
  t.regex(shown('10.0.0.2') ?? '', /10\.0\.0\.2/)
})
