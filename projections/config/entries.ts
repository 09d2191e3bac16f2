import {
  CONFIG_ENTRY_TOPIC,
  CONFIG_KINDS,
  configEntryEvents,
  isConfigEntryEvent,
  isConfigKind,
  nameOfEntry,
  type ConfigEntry,
  type ConfigKind
} from '../../events/config-entry.js'
import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import { type Projection, resourceFact, derivedState, type Fact, type DerivedState } from '../projection.js'
import { byText, spaceOf } from '../row-table.js'
import type { Table } from '../table.js'
import { Watch } from '../watch.js'
import { entryKey, tenancyOfKind, type ServiceName } from './names.js'
import { EntryReader } from './reader.js'
import { ProxyDefaultsDependents } from './proxy-defaults-dependents.js'
import { EntryRow, entryTable, perKind, type EntryIndex } from './rows.js'
import { isValidatedBy, UnvalidatedServices } from './unvalidated-services.js'
import { namespacedTenancyOf } from '../tenancy-view.js'

const byPlace = (a: EntryRow, b: EntryRow): number =>
  byText(spaceOf(a.tenancy), spaceOf(b.tenancy)) || byText(a.name.toLowerCase(), b.name.toLowerCase())

type SavedIndex = readonly [key: string, index: number]

const sorted = (indexes: Iterable<SavedIndex>): readonly SavedIndex[] =>
  [...indexes].toSorted(([a], [b]) => byText(a, b))

/**
 * Entries by kind, tenancy and name, with the services that they name directly. Costs: a look-up O(1), a change
 * O(names in the entry), a list O(entries of the kind in the tenancy). About 1 kB an entry besides its text.
 * Watch keys: `config`, `config/<kind>`, `config/<kind>/<partition>/<namespace>`, and `config/` with an `entryKey`.
 */
export class ConfigEntries extends EntryReader implements Projection {
  readonly topics = [CONFIG_ENTRY_TOPIC]
  /** A draft shares those that it does not change. */
  readonly #tables: Record<ConfigKind, Table<EntryRow, never, EntryIndex>>
  #index = 0

  /** By tenancy. */
  readonly #indexes = new Map<string, number>()
  /** By the services that entries of a kind name. */
  readonly #mentions = perKind(() => new Map<string, number>())
  readonly #standing: {
    readonly unchecked: UnvalidatedServices
    readonly dependents: ProxyDefaultsDependents
  }
  readonly memory: Readonly<Record<string, DerivedState>>

  /** @param below the stored entries under a draft */
  constructor(
    private readonly watch: Watch,
    private readonly below?: ConfigEntries
  ) {
    const tables = below ? { ...below.#tables } : perKind(kind => entryTable(kind))
    const standing = below
      ? below.#standing
      : { unchecked: new UnvalidatedServices(), dependents: new ProxyDefaultsDependents() }
    super(tables, standing)
    this.#tables = tables
    this.#standing = standing
    this.memory = {
      indexes: derivedState({
        clear: () => this.#indexes.clear(),
        save: () => sorted(this.#indexes),
        load: ([space, index]: SavedIndex) => {
          this.#indexes.set(space, index)
          this.#index = Math.max(this.#index, index)
        }
      }),
      mentions: derivedState({
        clear: () => this.#clearMentions(),
        save: () => sorted(this.#savedMentions()),
        load: ([key, index]: SavedIndex) => {
          const slash = key.indexOf('/')
          const kind = key.slice(0, slash)
          if (isConfigKind(kind)) this.#mentions[kind].set(key.slice(slash + 1), index)
        }
      }),
      ...standing.unchecked.memory
    }
  }

  /** Returns the entries for uncommitted changes on top of these. */
  draft(): ConfigEntries {
    return new ConfigEntries(new Watch(), this)
  }

  get index(): number {
    return this.#index
  }

  /** It remains after the entries, so it never decreases. */
  indexOf(tenancy: Tenancy): number {
    return this.#indexes.get(spaceOf(tenancy)) ?? 0
  }

  indexOfPartition(partition: string): number {
    let index = 0
    for (const [space, changed] of this.#indexes)
      if (space.startsWith(`${partition}/`)) index = Math.max(index, changed)
    return index
  }

  /** Index of the last change of an entry of a kind that mentioned a service (`EntryRow.mentioned`). It remains after the entries. */
  indexOfMention(kind: ConfigKind, service: string): number {
    return this.#mentions[kind].get(service) ?? 0
  }

  list(kind: ConfigKind, tenancy: Tenancy): readonly EntryRow[] {
    return this.#tables[kind].list(tenancyOfKind(kind, tenancy))
  }

  /** The entries of a kind in a tenancy after a lower-cased name, or all, by that name; see `Table.behind`. */
  behind(kind: ConfigKind, tenancy: Tenancy, after: string | undefined): Iterable<EntryRow> {
    return this.#tables[kind].behind(tenancyOfKind(kind, tenancy), after)
  }

  /** The namespaces of a partition that ever had entries of a kind, sorted. */
  namespaces(kind: ConfigKind, partition: string): string[] {
    return this.#tables[kind].namespaces(partition)
  }

  /** The entries of a kind in a tenancy itself, in no order. Rows may be deleted meanwhile, and the first is cheap. */
  within(kind: ConfigKind, tenancy: Tenancy): Iterable<EntryRow> {
    return this.#tables[kind].within(tenancy)
  }

  listAll(kind: ConfigKind, partition: string): EntryRow[] {
    return [...this.inPartition(kind, partition)].toSorted(byPlace)
  }

  /** The intentions with exactly this source (a key of `serviceKey`; `*` is literal). */
  intentionsFrom(source: string): Iterable<EntryRow> {
    return this.#tables['service-intentions'].sharing('sources', source)
  }

  /** The entry of the intention with this ID, if any. */
  intentionsWithId(id: string): Iterable<EntryRow> {
    return this.#tables['service-intentions'].sharing('ids', id)
  }

  apply(event: Event, { Index, By }: Commit): void {
    if (!isConfigEntryEvent(event)) return
    const entry = event.Payload.ConfigEntry
    const kind = entry.Kind
    const tenancy = namespacedTenancyOf(event)
    const key = entryKey(kind, nameOfEntry(entry), tenancy)
    const isChecked = isValidatedBy(By.Command)
    if (event.Type === 'ConfigEntryUpserted') this.put(entry, tenancy, Index, isChecked)
    else this.remove(kind, nameOfEntry(entry), tenancy, Index, isChecked)
    this.watch.touch('config')
    this.watch.touch(`config/${kind}`)
    this.watch.touch(`config/${kind}/${spaceOf(tenancy)}`)
    this.watch.touch(`config/${key}`)
  }

  put(entry: ConfigEntry, tenancy: Tenancy, index: number, isChecked: boolean): void {
    const row = new EntryRow(entry, tenancy)
    const before = this.#changing(entry.Kind).put(row, index)
    this.#changed(before, row, { service: row.name, tenancy }, index, isChecked)
  }

  remove(kind: ConfigKind, name: string, tenancy: Tenancy, index: number, isChecked: boolean): void {
    const before = this.#changing(kind).delete(entryKey(kind, name, tenancy), index)
    this.#changed(before, undefined, { service: name, tenancy }, index, isChecked)
  }

  #changing(kind: ConfigKind): Table<EntryRow, never, EntryIndex> {
    const { below } = this
    if (below && this.#tables[kind] === below.#tables[kind])
      this.#tables[kind] = entryTable(kind, below.#tables[kind])
    return this.#tables[kind]
  }

  #changed(
    before: EntryRow | undefined,
    after: EntryRow | undefined,
    place: ServiceName,
    index: number,
    isChecked: boolean
  ): void {
    // A draft changes nothing that belongs to the stored entries.
    if (this.below) return
    const replacement = { before: before?.entry, after: after?.entry, place }
    this.#standing.dependents.replace(replacement.before, replacement.after, place.tenancy)
    this.#standing.unchecked.note(replacement, this, isChecked)
    for (const row of [before, after])
      if (row) for (const service of row.mentioned) this.#mentions[row.entry.Kind].set(service, index)
    this.#indexes.set(spaceOf(place.tenancy), index)
    this.#index = index
  }

  reset(): void {
    for (const kind of CONFIG_KINDS) this.#tables[kind].clear()
    this.#standing.dependents.clear()
    this.#standing.unchecked.clear()
    this.#indexes.clear()
    this.#clearMentions()
    this.#index = 0
  }

  #clearMentions(): void {
    for (const kind of CONFIG_KINDS) this.#mentions[kind].clear()
  }

  *#savedMentions(): Iterable<SavedIndex> {
    for (const kind of CONFIG_KINDS)
      for (const [service, index] of this.#mentions[kind]) yield [`${kind}/${service}`, index]
  }

  *facts(): Iterable<Fact> {
    for (const kind of CONFIG_KINDS)
      for (const row of [...this.#tables[kind].all()].toSorted(byPlace)) yield entryFactOf(row)
  }

  /** The facts in no order, while rows may change; see `Table.all`. */
  *current(): Iterable<Fact> {
    for (const kind of CONFIG_KINDS) for (const row of this.#tables[kind].all()) yield entryFactOf(row)
  }
}

export const entryFactOf = ({ entry, tenancy }: EntryRow): Fact =>
  resourceFact(configEntryEvents, entry, { tenancy, Index: entry.ModifyIndex })
