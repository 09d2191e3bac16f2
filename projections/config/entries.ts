// Read model of the configuration entries.
import {
  CONFIG_ENTRY_TOPIC,
  CONFIG_KINDS,
  isConfigEntryEvent,
  isConfigKind,
  nameOfEntry,
  type ConfigEntry,
  type ConfigEntryUpserted,
  type ConfigKind,
  type EntryOf
} from '../../events/config-entry.js'
import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import type { Projection } from '../projection.js'
import { byText, spaceOf, type RowTable } from '../row-table.js'
import { fact, memory, type Fact, type Memory } from '../saved.js'
import { Table } from '../table.js'
import { Watch } from '../watch.js'
import { isOfKind, type ConfigLookup } from './lookup.js'
import {
  entryKey,
  hasPermissions,
  homeOf,
  intentionIds,
  mentionedKeys,
  namedKeys,
  serviceKey,
  sourceKeys,
  type Place
} from './names.js'
import { ProtocolTakers } from './protocol-takers.js'
import { isCheckedBy, Unchecked, type Replacement } from './unchecked.js'

export interface EntryRow {
  readonly entry: ConfigEntry
  /** The name, also of the mesh entry. */
  readonly name: string
  readonly tenancy: Tenancy
  /** The answer of a read, serialised once. */
  readonly json: string
}

const toRow = (entry: ConfigEntry, tenancy: Tenancy): EntryRow => ({
  entry,
  name: nameOfEntry(entry),
  tenancy,
  json: JSON.stringify(entry)
})

const byPlace = (a: EntryRow, b: EntryRow): number =>
  byText(spaceOf(a.tenancy), spaceOf(b.tenancy)) || byText(a.name.toLowerCase(), b.name.toLowerCase())

const sortedEntries = (map: ReadonlyMap<string, number>) => [...map].toSorted(([a], [b]) => byText(a, b))

/** Stands for all intentions with L7 permissions among the keys of their destinations. */
const ANY_L7 = '*'

type Rows = RowTable<EntryRow, never, 'names' | 'sources' | 'ids' | 'l7' | 'partition'>
type Tables = Readonly<Record<ConfigKind, Rows>>

const perKind = (make: (kind: ConfigKind) => Rows): Tables => ({
  'exported-services': make('exported-services'),
  'ingress-gateway': make('ingress-gateway'),
  mesh: make('mesh'),
  'proxy-defaults': make('proxy-defaults'),
  'service-defaults': make('service-defaults'),
  'service-intentions': make('service-intentions'),
  'service-resolver': make('service-resolver'),
  'service-router': make('service-router'),
  'service-splitter': make('service-splitter'),
  'terminating-gateway': make('terminating-gateway')
})

const makeTable = (kind: ConfigKind): Rows =>
  new Table({
    key: row => entryKey(kind, row.name, row.tenancy),
    tenancy: row => row.tenancy,
    order: row => row.name.toLowerCase(),
    unique: {},
    multi: {
      names: row => namedKeys(row.entry, row.tenancy),
      sources: row => sourceKeys(row.entry, row.tenancy),
      ids: row => intentionIds(row.entry),
      partition: row => [row.tenancy.partition],
      l7: row => (hasPermissions(row.entry) ? [ANY_L7, serviceKey(row.name, row.tenancy)] : [])
    }
  })

/**
 * Entries by kind, tenancy and name, with the services that they name directly. Costs: a look-up O(1), a change O(names
 * in the entry), a list O(entries of the kind in the tenancy). About 1 kB an entry besides its text.
 * Watch keys: `config` for any change, `config/<kind>` for a kind, `config/<kind>/<partition>/<namespace>` for a list,
 * and `entryWatchKey` for one entry.
 */
export class ConfigEntries implements Projection, ConfigLookup {
  readonly topics = [CONFIG_ENTRY_TOPIC]
  readonly #watch: Watch
  readonly #tables: Tables
  #index = 0

  /** Of tenancies. */
  readonly #indexes = new Map<string, number>()
  /** Of the services that entries of a kind name. */
  readonly #mentions = new Map<string, number>()
  readonly #takers: ProtocolTakers
  readonly #unchecked: Unchecked
  readonly memory: Readonly<Record<string, Memory>>

  constructor(watch: Watch, below?: ConfigEntries) {
    this.#watch = watch
    this.#tables = below ? perKind(kind => below.#tables[kind].overlay()) : perKind(makeTable)
    this.#takers = new ProtocolTakers(below ? below.#takers : undefined)
    this.#unchecked = new Unchecked(below ? below.#unchecked : undefined)
    this.#index = below ? below.#index : 0
    this.memory = {
      indexes: memory({
        clear: () => this.#indexes.clear(),
        save: () => sortedEntries(this.#indexes),
        load: ([space, index]: readonly [string, number]) => {
          this.#indexes.set(space, index)
          this.#index = Math.max(this.#index, index)
        }
      }),
      mentions: memory({
        clear: () => this.#mentions.clear(),
        save: () => sortedEntries(this.#mentions),
        load: ([key, index]: readonly [string, number]) => void this.#mentions.set(key, index)
      }),
      ...this.#unchecked.memory
    }
  }

  /** These entries, to be changed without anybody else seeing it. Cost: O(1), and its reads cost the changes made. */
  draft(): ConfigEntries {
    return new ConfigEntries(new Watch(), this)
  }

  /** Index of the last change of any entry of any kind. */
  get index(): number {
    return this.#index
  }

  /** Index of the last change of any entry of a tenancy. It outlives the entries, so that it never goes back. */
  indexOf(tenancy: Tenancy): number {
    return this.#indexes.get(spaceOf(tenancy)) ?? 0
  }

  /** Index of the last change of any entry of a partition. */
  indexOfPartition(partition: string): number {
    let index = 0
    for (const [space, changed] of this.#indexes)
      if (space.startsWith(`${partition}/`)) index = Math.max(index, changed)
    return index
  }

  /**
   * Index of the last change of any entry of a kind that mentioned a service (`mentionedKeys`), before or after. It
   * outlives the entries.
   */
  indexOfMention(kind: ConfigKind, service: string): number {
    return this.#mentions.get(`${kind}/${service}`) ?? 0
  }

  row(kind: ConfigKind, name: string, tenancy: Tenancy): EntryRow | undefined {
    return this.#tables[kind].get(entryKey(kind, name, tenancy))
  }

  get<Kind extends ConfigKind>(kind: Kind, name: string, tenancy: Tenancy): EntryOf<Kind> | undefined
  get(kind: ConfigKind, name: string, tenancy: Tenancy): ConfigEntry | undefined {
    const entry = this.row(kind, name, tenancy)?.entry
    return entry && isOfKind(entry, kind) ? entry : undefined
  }

  /** The entries of a kind in a tenancy, by lower-cased name. */
  list(kind: ConfigKind, tenancy: Tenancy): readonly EntryRow[] {
    return this.#tables[kind].list(homeOf(kind, tenancy))
  }

  /**
   * The entries of a kind that are stored in a tenancy itself, in no order, while they are deleted: cheap to begin,
   * whatever their number.
   */
  within(kind: ConfigKind, tenancy: Tenancy): Iterable<EntryRow> {
    return this.#tables[kind].within(tenancy)
  }

  /** The entries of a kind in all namespaces of a partition, by namespace and lower-cased name. */
  listAll(kind: ConfigKind, partition: string): EntryRow[] {
    return [...this.inPartition(kind, partition)].toSorted(byPlace)
  }

  /** The entries of a kind in all namespaces of a partition, in no order. */
  inPartition(kind: ConfigKind, partition: string): ReadonlySet<EntryRow> {
    return this.#tables[kind].sharing('partition', partition)
  }

  /** The entries of a kind that name a service (a key of `serviceKey`) directly, in no order. */
  naming(kind: ConfigKind, service: string): Iterable<EntryRow> {
    return this.#tables[kind].sharing('names', service)
  }

  /** Whether there are any intentions with L7 permissions. */
  get hasL7Intentions(): boolean {
    return this.#tables['service-intentions'].sharing('l7', ANY_L7).size > 0
  }

  /** The intentions with L7 permissions whose destination is a service (a key of `serviceKey`), in no order. */
  l7IntentionsOn(service: string): Iterable<EntryRow> {
    return this.#tables['service-intentions'].sharing('l7', service)
  }

  /** The intentions with a source of exactly this name (a key of `serviceKey`; `*` taken literally). */
  intentionsFrom(source: string): Iterable<EntryRow> {
    return this.#tables['service-intentions'].sharing('sources', source)
  }

  /** The intentions of which one has this ID, wherever they are: one entry at most. */
  intentionsWithId(id: string): Iterable<EntryRow> {
    return this.#tables['service-intentions'].sharing('ids', id)
  }

  /** The services of a partition that have no service-defaults and that entries speak of, in no order. */
  protocolTakers(partition: string): Iterable<Place> {
    return this.#takers.of(partition)
  }

  /** What changes may have broken without having been checked. */
  get unchecked(): Pick<Unchecked, 'of' | 'hasDefaults' | 'isEmpty'> {
    return this.#unchecked
  }

  /** The row of a kind that may not be one. */
  find(kind: string, name: string, tenancy: Tenancy): EntryRow | undefined {
    return isConfigKind(kind) ? this.row(kind, name, tenancy) : undefined
  }

  apply(event: Event, commit: Pick<Commit, 'Index'> & Partial<Pick<Commit, 'By'>>): void {
    if (!isConfigEntryEvent(event)) return
    const entry = event.Payload.ConfigEntry
    const kind = entry.Kind
    const tenancy = { partition: event.Partition, namespace: event.Namespace || 'default' }
    const key = entryKey(kind, nameOfEntry(entry), tenancy)
    const isChecked = isCheckedBy(commit.By?.Command)
    if (event.Type === 'ConfigEntryUpserted') this.put(entry, tenancy, commit.Index, isChecked)
    else this.remove(kind, nameOfEntry(entry), tenancy, commit.Index, isChecked)
    this.#watch.touch('config')
    this.#watch.touch(`config/${kind}`)
    this.#watch.touch(`config/${kind}/${spaceOf(tenancy)}`)
    this.#watch.touch(`config/${key}`)
  }

  /** For the fold, and for drafts: stores an entry in its tenancy. */
  put(entry: ConfigEntry, tenancy: Tenancy, index: number, isChecked = false): void {
    const before = this.#tables[entry.Kind].put(toRow(entry, tenancy), index)?.entry
    const place = { service: nameOfEntry(entry), tenancy }
    this.#changed({ before, after: entry, place }, index, isChecked)
  }

  /** For the fold, and for drafts. */
  remove(kind: ConfigKind, name: string, tenancy: Tenancy, index: number, isChecked = false): void {
    const before = this.#tables[kind].delete(entryKey(kind, name, tenancy), index)?.entry
    this.#changed({ before, after: undefined, place: { service: name, tenancy } }, index, isChecked)
  }

  #changed(replacement: Replacement, index: number, isChecked: boolean): void {
    const { before, after, place } = replacement
    this.#takers.replace(before, after, place.tenancy)
    this.#unchecked.note(replacement, this, isChecked)
    for (const entry of [before, after])
      if (entry)
        for (const service of mentionedKeys(entry, place.tenancy))
          this.#mentions.set(`${entry.Kind}/${service}`, index)
    this.#indexes.set(spaceOf(place.tenancy), index)
    this.#index = index
  }

  reset(): void {
    for (const kind of CONFIG_KINDS) this.#tables[kind].clear()
    this.#takers.clear()
    this.#unchecked.clear()
    this.#indexes.clear()
    this.#mentions.clear()
    this.#index = 0
  }

  *facts(): Iterable<Fact> {
    for (const kind of CONFIG_KINDS)
      for (const { entry, name, tenancy } of [...this.#tables[kind].all()].toSorted(byPlace))
        yield fact<ConfigEntryUpserted>({
          Topic: CONFIG_ENTRY_TOPIC,
          Type: 'ConfigEntryUpserted',
          Key: `${kind}/${name.toLowerCase()}`,
          tenancy,
          Index: entry.ModifyIndex,
          Payload: { ConfigEntry: entry }
        })
  }
}
