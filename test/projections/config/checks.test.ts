import test from 'ava'
import fc from 'fast-check'
import { CONFIG_KINDS, nameOfEntry, type ConfigEntry } from '../../../events/config-entry.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { CompileError } from '../../../projections/chain/chain.js'
import { compileChain } from '../../../projections/chain/compile.js'
import { isL7 } from '../../../projections/chain/compilation.js'
import { checkChanges, faultsOf, type EntryChange } from '../../../projections/config/checks.js'
import { ConfigError } from '../../../events/config/fields/decoder.js'
import { ConfigEntries } from '../../../projections/config/entries.js'
import { hasPermissions, namedServices } from '../../../projections/config/names.js'
import type { EntryReader } from '../../../projections/config/reader.js'
import { chainDiffOf } from '../../../projections/config/chain-diff.js'
import { Watch } from '../../../projections/watch.js'
import { entry as chainEntry, service } from '../chain/arbitrary-entries.js'
import { proxyDefaults } from '../chain/chain-entries.js'
import { runs } from '../../support/property-runs.js'

const stored = { CreateIndex: 1, ModifyIndex: 1 }

const intentions = service.map((Name): ConfigEntry => ({
  Kind: 'service-intentions',
  Name,
  Sources: [
    {
      Name: '*',
      Permissions: [{ Action: 'allow', HTTP: { PathPrefix: '/' } }],
      Precedence: 8,
      Type: 'consul'
    }
  ],
  ...stored
}))

const gateway = fc
  .tuple(service, fc.constantFrom('http', 'tcp', 'grpc'), service)
  .map(([Name, Protocol, listed]): ConfigEntry => ({
    Kind: 'ingress-gateway',
    Name,
    TLS: { Enabled: false },
    Listeners: [{ Port: 80, Protocol, Services: [{ Name: listed, Hosts: null }] }],
    ...stored
  }))

/** A write, or the deletion of the entry of this kind and name. */
const write = fc.record({
  entry: fc.oneof({ weight: 4, arbitrary: chainEntry }, intentions, gateway),
  isDeleted: fc.boolean()
})

type Write = typeof write extends fc.Arbitrary<infer W> ? W : never

/** @param entries as they were before */
const changeOf = (entries: EntryReader, { entry, isDeleted }: Write): EntryChange => ({
  kind: entry.Kind,
  name: nameOfEntry(entry),
  tenancy: DEFAULT_TENANCY,
  isDeleted,
  before: entries.row(entry.Kind, nameOfEntry(entry), DEFAULT_TENANCY)?.entry
})

/** As a commit that was checked, or by a command that checks nothing. */
const make = (entries: ConfigEntries, { entry, isDeleted }: Write, isChecked = true): void => {
  if (isDeleted) entries.remove(entry.Kind, nameOfEntry(entry), DEFAULT_TENANCY, 1, isChecked)
  else entries.put(entry, DEFAULT_TENANCY, 1, isChecked)
}

const after = (entries: ConfigEntries, one: Write): ConfigEntries => {
  const draft = entries.draft()
  make(draft, one)
  return draft
}

const chainOf = (entries: EntryReader, name: string) => {
  const question = { service: name, tenancy: DEFAULT_TENANCY, datacenter: 'dc1', homeDatacenter: 'dc1' }
  return compileChain({ ...question, clusterId: 'c' }, entries).chain
}

const ROUTING = ['service-router', 'service-splitter', 'service-resolver'] as const

/** The table of config.md §5 word by word, looking at every entry that there is. */
const isRefusedByTable = (entries: EntryReader, { kind, name, isDeleted }: EntryChange): boolean => {
  const rows = (of: ConfigEntry['Kind']) => [...entries.inPartition(of, 'default')]
  const names = (one: ConfigEntry) => namedServices(one, DEFAULT_TENANCY).map(named => named.service)
  const chains = new Set<string>()
  const isOfService = kind === 'service-defaults' || ROUTING.some(one => one === kind)
  let gateways = rows('ingress-gateway').filter(row => kind === 'proxy-defaults' && row)
  let permitted = rows('service-intentions').filter(({ entry }) => hasPermissions(entry))
  if (kind === 'proxy-defaults') for (const one of ROUTING) for (const row of rows(one)) chains.add(row.name)
  if (isOfService) {
    chains.add(name)
    for (const one of ROUTING)
      for (const row of rows(one)) if (names(row.entry).includes(name)) chains.add(row.name)
    gateways = rows('ingress-gateway').filter(row => names(row.entry).includes(name))
  }
  if (kind === 'ingress-gateway') gateways = rows(kind).filter(row => row.name === name && !isDeleted)
  if (kind === 'service-intentions') permitted = permitted.filter(row => row.name === name && !isDeleted)
  if (kind === 'ingress-gateway') permitted = []
  try {
    for (const one of chains) chainOf(entries, one)
    for (const { entry } of gateways)
      for (const listener of entry.Kind === 'ingress-gateway' ? (entry.Listeners ?? []) : [])
        for (const { Name } of listener.Services ?? []) {
          const { Protocol, StartNode } = chainOf(entries, Name)
          const isLax = kind !== 'ingress-gateway' && listener.Protocol === 'tcp'
          if (Protocol !== listener.Protocol && !(isLax && StartNode.startsWith('resolver:'))) return true
        }
    return permitted.some(row => !isL7(chainOf(entries, row.name).Protocol))
  } catch (error) {
    if (error instanceof CompileError) return true
    throw error
  }
}

const isRefused = (entries: EntryReader, change: EntryChange): boolean => {
  try {
    checkChanges(entries, [change], 'dc1')
    return false
  } catch (error) {
    if (error instanceof ConfigError) return true
    throw error
  }
}

test('a write is refused exactly when the rules say so, though only what it concerns is looked at', t => {
  let accepted = 0
  let refused = 0
  fc.assert(
    fc.property(fc.array(write, { maxLength: 25 }), writes => {
      const entries = new ConfigEntries(new Watch())
      for (const one of writes) {
        const draft = after(entries, one)
        const change = changeOf(entries, one)
        const isBad = isRefused(draft, change)
        t.is(isBad, isRefusedByTable(draft, change), JSON.stringify(one))
        if (isBad) refused++
        else {
          accepted++
          make(entries, one)
        }
      }
    }),
    { numRuns: runs(1000) }
  )
  t.true(accepted > runs(500) && refused > runs(500), `${accepted} accepted, ${refused} refused`)
})

/** The entries by kind and name. */
const seen = (entries: EntryReader) =>
  CONFIG_KINDS.map(kind => [...entries.inPartition(kind, 'default')].map(({ json }) => json).toSorted())

/** Writes after which much stands two steps away, and proxy-defaults in between. */
const weave = fc.oneof(
  { weight: 3, arbitrary: write },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('http', 'grpc', 'tcp')
      .map(speaks => ({ entry: proxyDefaults({ protocol: speaks }), isDeleted: false }))
  }
)

test('proxy-defaults are refused exactly when the rules say so, even after unchecked changes', t => {
  const reported = { right: 0, wrong: 0 }
  fc.assert(
    fc.property(fc.array(fc.tuple(weave, fc.nat({ max: 5 })), { minLength: 15, maxLength: 30 }), writes => {
      const entries = new ConfigEntries(new Watch())
      for (const [one, chance] of writes) {
        const draft = after(entries, one)
        const change = changeOf(entries, one)
        const isBad = isRefused(draft, change)
        if (change.kind === 'proxy-defaults') {
          t.is(isBad, isRefusedByTable(draft, change), JSON.stringify(one))
          reported[isBad ? 'wrong' : 'right']++
        }
        if (chance === 0) make(entries, one, false)
        else if (!isBad) make(entries, one)
      }
    }),
    { numRuns: runs(1000) }
  )
  t.true(reported.right > runs(500) && reported.wrong > runs(200), JSON.stringify(reported))
})

test('a batch is refused exactly when one of its writes would be at its end', t => {
  let refused = 0
  fc.assert(
    fc.property(fc.array(weave, { maxLength: 12 }), fc.array(weave, { maxLength: 4 }), (first, batch) => {
      const entries = new ConfigEntries(new Watch())
      for (const one of first) if (!isRefused(after(entries, one), changeOf(entries, one))) make(entries, one)
      const changes = new Map<string, EntryChange>()
      const draft = entries.draft()
      for (const one of batch) {
        const change = changeOf(entries, one)
        changes.set(`${change.kind}/${change.name}`, change)
        make(draft, one)
      }
      const isBad = faultsOf(draft, [...changes.values()], 'dc1').length > 0
      if (isBad) refused++
      else
        t.false(
          [...changes.values()].some(
            change => change.kind === 'proxy-defaults' && isRefusedByTable(draft, change)
          )
        )
      const isBadByTable = [...changes.values()].some(change => isRefusedByTable(draft, change))
      t.is(isBad, isBadByTable, JSON.stringify(batch))
    }),
    { numRuns: runs(500) }
  )
  t.true(refused > runs(50), `${refused} refused`)
})

test('intentions with permissions hold at any time', t => {
  fc.assert(
    fc.property(fc.array(write, { maxLength: 25 }), writes => {
      const entries = new ConfigEntries(new Watch())
      for (const one of writes) {
        if (isRefused(after(entries, one), changeOf(entries, one))) continue
        make(entries, one)
        for (const row of entries.list('service-intentions', DEFAULT_TENANCY))
          if (hasPermissions(row.entry)) t.true(isL7(chainOf(entries, row.name).Protocol), row.json)
      }
    }),
    { numRuns: 200 }
  )
})

test('an draft changes nothing below it, and reports all errors where a write reports the first', t => {
  fc.assert(
    fc.property(fc.array(write, { maxLength: 15 }), writes => {
      const entries = new ConfigEntries(new Watch())
      for (const one of writes) {
        const before = JSON.stringify([...entries.facts(), entries.index])
        const draft = after(entries, one)
        const change = changeOf(entries, one)
        t.is(faultsOf(draft, [change], 'dc1').length > 0, isRefused(draft, change))
        t.is(JSON.stringify([...entries.facts(), entries.index]), before)
        make(entries, one)
        t.deepEqual(seen(draft), seen(entries))
      }
    }),
    { numRuns: runs(150) }
  )
})

test('the difference that a trial tells is that of all chains', t => {
  const basis = { datacenter: 'dc1', clusterId: 'c' }
  const compiled = (entries: EntryReader, name: string): unknown => {
    try {
      return chainOf(entries, name)
    } catch (error) {
      return error instanceof CompileError ? error.message : error
    }
  }
  fc.assert(
    fc.property(fc.array(write, { maxLength: 15 }), writes => {
      const entries = new ConfigEntries(new Watch())
      for (const one of writes) {
        const draft = after(entries, one)
        const { Chains, Unchecked } = chainDiffOf(entries, draft, [changeOf(entries, one)], basis, () => [])
        t.is(Unchecked, 0)
        const reported = new Set(Chains.map(chain => chain.Service))
        for (const name of ['a', 'b', 'c', 'd']) {
          const isSame = JSON.stringify(compiled(entries, name)) === JSON.stringify(compiled(draft, name))
          // Services without entries may change with the default protocol and are not reported.
          if (reported.has(name)) t.false(isSame, name)
          else if (one.entry.Kind !== 'proxy-defaults') t.true(isSame, name)
        }
        make(entries, one)
      }
    }),
    { numRuns: runs(150) }
  )
})
