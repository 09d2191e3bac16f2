// What holds for the chains of any entries (issue of the discovery chain; config.md §7).
import fc from 'fast-check'
import test from 'ava'
import type { ConfigEntry } from '../../../events/config-entry.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { type Chain, type ChainNode, CompileError } from '../../../projections/chain/chain.js'
import { checkChain, compileChain } from '../../../projections/chain/compile.js'
import type { ChainQuestion } from '../../../projections/chain/compilation.js'
import { ClusterIdentity } from '../../../projections/latest-events.js'
import { CompiledChains } from '../../../projections/compiled-chains.js'
import type { ConfigLookup } from '../../../projections/config/rows.js'
import { entries, entry, identityOf, overrides, service } from './arbitrary-entries.js'
import { commitOf, entriesOf, proxyDefaults, question, splitter } from './chain-entries.js'
import { runs } from '../../support/property-runs.js'

type Result = { readonly chain: Chain; readonly error: undefined } | { readonly error: string }

const compiled = (asked: ChainQuestion, from: ConfigLookup): Result => {
  try {
    return { chain: compileChain(asked, from).chain, error: undefined }
  } catch (error) {
    // Anything else is a fault of the compiler.
    if (error instanceof CompileError) return { error: error.message }
    throw error
  }
}

const nextNodes = (node: ChainNode): readonly string[] =>
  node.Type === 'router'
    ? node.Routes.map(({ NextNode }) => NextNode)
    : node.Type === 'splitter'
      ? node.Splits.map(({ NextNode }) => NextNode)
      : []

const asked = fc
  .tuple(service, fc.option(overrides, { nil: undefined }), fc.constantFrom('dc1', 'dc2'))
  .map(([name, given, datacenter]) => question(name, { datacenter, ...(given ? { overrides: given } : {}) }))

const property = (check: (chain: Chain) => void) =>
  fc.assert(
    fc.property(entries, asked, (stored, of) => {
      const result = compiled(of, entriesOf(stored))
      if (result.error === undefined) check(result.chain)
    }),
    { numRuns: runs(500) }
  )

test('most of the entries of these tests make a chain', t => {
  const samples = fc.sample(fc.tuple(entries, asked), 200)
  const made = samples.filter(([stored, of]) => compiled(of, entriesOf(stored)).error === undefined)
  t.true(made.length > 60, `${made.length} of ${samples.length}`)
})

test('the same entries give the same chain, in whatever order they were written', t => {
  const shuffled = entries.chain(stored =>
    fc.tuple(fc.constant(stored), fc.shuffledSubarray([...stored], { minLength: stored.length }))
  )
  fc.assert(
    fc.property(shuffled, asked, ([stored, other], of) => {
      const first = JSON.stringify(compiled(of, entriesOf(stored)))
      t.is(JSON.stringify(compiled(of, entriesOf(stored))), first)
      t.is(JSON.stringify(compiled(of, entriesOf(other))), first)
    }),
    { numRuns: runs(300) }
  )
  t.pass()
})

test('every node is there and is reached from the start node', t => {
  property(({ Nodes, StartNode }) => {
    const reached = new Set<string>()
    const open = [StartNode]
    for (let key = open.pop(); key !== undefined; key = open.pop()) {
      if (reached.has(key)) continue
      reached.add(key)
      const node = Nodes[key]
      if (!node) throw new Error(`there is no node ${key}`)
      open.push(...nextNodes(node))
    }
    if (reached.size !== Object.keys(Nodes).length) throw new Error('a node is not reached')
  })
  t.pass()
})

test('every target that is named is there, and every target is used', t => {
  property(({ Nodes, Targets }) => {
    const used = new Set(
      Object.values(Nodes).flatMap(node =>
        node.Type === 'resolver' ? [node.Resolver.Target, ...(node.Resolver.Failover?.Targets ?? [])] : []
      )
    )
    const named = [...used].toSorted().join()
    if (named !== Object.keys(Targets).toSorted().join()) throw new Error(`${named} are used`)
  })
  t.pass()
})

test('no splitter leads to a splitter, and its weights sum to 100 within their rounding', t => {
  property(({ Nodes }) => {
    for (const node of Object.values(Nodes)) {
      if (node.Type !== 'splitter') continue
      const sum = node.Splits.reduce((total, { Weight = 0 }) => total + Weight, 0)
      // Each level of splitters rounds each weight by half a hundredth.
      if (Math.abs(sum - 100) > 0.01 * node.Splits.length) throw new Error(`weights sum to ${sum}`)
      if (node.Splits.some(({ NextNode }) => Nodes[NextNode]?.Type === 'splitter')) throw new Error('nested')
    }
  })
  t.pass()
})

test('circles of splitters of any length end in an error', t => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 100 }), fc.nat(99), (length, into) => {
      const names = Array.from({ length }, (_, i) => `s${i}`)
      const circle = names.map((name, i) =>
        splitter(
          name,
          { Weight: 60, Service: names[i + 1] ?? `s${into % (length - 1)}` },
          { Weight: 40, Service: 'end' }
        )
      )
      const result = compiled(question('s0'), entriesOf([proxyDefaults({ protocol: 'http' }), ...circle]))
      t.regex(result.error ?? '', /^detected circular reference/)
    }),
    { numRuns: runs(100) }
  )
})

test('a check has the outcome of the chain, and names each read once', t => {
  fc.assert(
    fc.property(entries, service, (stored, name) => {
      const from = entriesOf(stored)
      try {
        const { chain, reads } = compileChain(question(name), from)
        t.deepEqual(checkChain(question(name), from), {
          protocol: chain.Protocol,
          startNode: chain.StartNode
        })
        t.is(new Set(reads.map(({ kind, name: read }) => `${kind}/${read.toLowerCase()}`)).size, reads.length)
      } catch (error) {
        if (!(error instanceof CompileError)) throw error
        t.throws(() => checkChain(question(name), from), { instanceOf: CompileError, message: error.message })
      }
    }),
    { numRuns: runs(300) }
  )
})

test('an entry that was not read does not matter', t => {
  fc.assert(
    fc.property(entries, entry, service, (stored, changed, name) => {
      const before = entriesOf(stored)
      const reads = (() => {
        try {
          return compileChain(question(name), before).reads
        } catch (error) {
          return error instanceof CompileError ? error.reads : []
        }
      })()
      if (reads.some(({ kind, name: read }) => identityOf(changed) === `${kind}/${read}`)) return
      const after = entriesOf([...stored, changed])
      t.deepEqual(compiled(question(name), after), compiled(question(name), before))
    }),
    { numRuns: runs(500) }
  )
})

test('a chain that is kept is never older than the entries', t => {
  const write = fc.record({ one: entry, isDeletion: fc.boolean(), ask: service })
  fc.assert(
    fc.property(entries, fc.array(write, { maxLength: 20 }), (stored, writes) => {
      const config = entriesOf(stored)
      const chains = new CompiledChains(config, new ClusterIdentity())
      for (const { one, isDeletion, ask } of writes) {
        applyTo(one, isDeletion)
        const of = { service: ask, tenancy: DEFAULT_TENANCY, datacenter: 'dc1', homeDatacenter: 'dc1' }
        const { result } = chains.get(of)
        const recompiled = compiled({ ...of, clusterId: '' }, config)
        const expected =
          recompiled.error === undefined ? JSON.stringify({ Chain: recompiled.chain }) : recompiled.error
        t.is('json' in result ? result.json : result.error.message, expected)
      }
      function applyTo(one: ConfigEntry, isDeletion: boolean): void {
        const type = isDeletion ? 'ConfigEntryDeleted' : 'ConfigEntryUpserted'
        const commit = commitOf(config.index + 1, one, type)
        for (const event of commit.Events) {
          config.apply(event, commit)
          chains.apply(event)
        }
      }
    }),
    { numRuns: runs(300) }
  )
})
