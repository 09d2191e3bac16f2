// Configuration entries for the tests of discovery chains.
import {
  CONFIG_ENTRY_TOPIC,
  nameOfEntry,
  type ConfigEntry,
  type ConfigEntryEvent,
  type EntryOf
} from '../../../events/config-entry.js'
import { DEFAULT_TENANCY, type Commit, type Event, type Tenancy } from '../../../events/envelope.js'
import type { Chain } from '../../../projections/chain/chain.js'
import { compileChain } from '../../../projections/chain/compile.js'
import type { ChainQuestion } from '../../../projections/chain/compilation.js'
import { ConfigEntries } from '../../../projections/config/entries.js'
import { Watch } from '../../../projections/watch.js'

const stored = { CreateIndex: 1, ModifyIndex: 1 }
const proxied = { TransparentProxy: {}, MeshGateway: {}, Expose: {} }

type Parts<Kind extends ConfigEntry['Kind']> = Partial<Omit<EntryOf<Kind>, 'Kind' | 'Name'>>

export const serviceDefaults = (
  Name: string,
  Protocol: string,
  parts: Parts<'service-defaults'> = {}
): ConfigEntry => ({ Kind: 'service-defaults', Name, Protocol, ...proxied, ...parts, ...stored })

export const proxyDefaults = (
  Config: Readonly<Record<string, unknown>> | null,
  parts: Parts<'proxy-defaults'> = {}
): ConfigEntry => ({ Kind: 'proxy-defaults', Name: 'global', Config, ...proxied, ...parts, ...stored })

export const resolver = (Name: string, parts: Parts<'service-resolver'> = {}): ConfigEntry => ({
  Kind: 'service-resolver',
  Name,
  ...parts,
  ...stored
})

export const splitter = (Name: string, ...Splits: EntryOf<'service-splitter'>['Splits']): ConfigEntry => ({
  Kind: 'service-splitter',
  Name,
  Splits,
  ...stored
})

export const router = (
  Name: string,
  ...Routes: NonNullable<EntryOf<'service-router'>['Routes']>
): ConfigEntry => ({ Kind: 'service-router', Name, Routes, ...stored })

const By = { AccessorID: '', Address: '', RequestID: '', Command: 'Test' }

/** The event of an entry that is stored, or deleted. */
export const entryEvent = (
  entry: ConfigEntry,
  Type: ConfigEntryEvent['Type'] = 'ConfigEntryUpserted',
  { partition, namespace }: Tenancy = DEFAULT_TENANCY
): Event => ({
  Topic: CONFIG_ENTRY_TOPIC,
  Type,
  Key: `${entry.Kind}/${nameOfEntry(entry).toLowerCase()}`,
  Namespace: namespace,
  Partition: partition,
  FilterKeys: null,
  Payload: { ConfigEntry: entry }
})

/** A commit that stores, or deletes, one entry. */
export const commitOf = (
  Index: number,
  entry: ConfigEntry,
  Type: ConfigEntryEvent['Type'] = 'ConfigEntryUpserted',
  tenancy: Tenancy = DEFAULT_TENANCY
): Commit => ({ Index, Time: '2026-01-01T00:00:00Z', By, Events: [entryEvent(entry, Type, tenancy)] })

/** The read model after these entries were written one after another. */
export const entriesOf = (
  entries: readonly ConfigEntry[],
  tenancy: Tenancy = DEFAULT_TENANCY,
  into = new ConfigEntries(new Watch())
): ConfigEntries => {
  for (const entry of entries) {
    const commit = commitOf(into.index + 1, entry, 'ConfigEntryUpserted', tenancy)
    for (const event of commit.Events) into.apply(event, commit)
  }
  return into
}

export const CLUSTER = '11111111-2222-3333-4444-555555555555'

export const question = (service: string, parts: Partial<ChainQuestion> = {}): ChainQuestion => ({
  service,
  tenancy: DEFAULT_TENANCY,
  datacenter: 'dc1',
  homeDatacenter: 'dc1',
  clusterId: CLUSTER,
  ...parts
})

/** The chain of a service over these entries. @throws CompileError */
export const chainOf = (
  service: string,
  entries: readonly ConfigEntry[],
  parts: Partial<ChainQuestion> = {}
): Chain => compileChain(question(service, parts), entriesOf(entries)).chain
