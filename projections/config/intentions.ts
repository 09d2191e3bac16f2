// Intentions one by one: a view over the service-intentions entries (spec: config.md §4.6, tenancy.md §8, §10).
import { isDeepStrictEqual } from 'node:util'
import type { IntentionPermission, IntentionSource, ServiceIntentions } from '../../events/config/access.js'
import type { EntryOf } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { byText, spaceOf } from '../row-table.js'
import type { ConfigEntries, EntryRow } from './entries.js'
import { serviceKey } from './names.js'

/** One end of an intention; `*` stands for every service or namespace. */
export interface Party {
  readonly name: string
  readonly tenancy: Tenancy
}

/** An intention as it is read: one source of an entry. */
export interface Intention {
  readonly SourceNS: string
  readonly SourceName: string
  readonly DestinationNS: string
  readonly DestinationName: string
  /** Left out in `default`. */
  readonly SourcePartition?: string
  readonly DestinationPartition?: string
  readonly SourceType: string
  readonly Action?: string
  readonly Permissions?: readonly IntentionPermission[]
  readonly Description?: string
  readonly Meta: Readonly<Record<string, string>>
  readonly Precedence: number
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

const partitions = (partition: string) =>
  partition === 'default' ? {} : { SourcePartition: partition, DestinationPartition: partition }

const intention = (
  entry: EntryOf<'service-intentions'>,
  place: Tenancy,
  source: IntentionSource
): Intention => ({
  SourceNS: source.Namespace ?? place.namespace,
  SourceName: source.Name,
  DestinationNS: place.namespace,
  DestinationName: entry.Name,
  ...partitions(place.partition),
  SourceType: source.Type,
  ...(source.Action === undefined ? {} : { Action: source.Action }),
  ...(source.Permissions === undefined ? {} : { Permissions: source.Permissions }),
  ...(source.Description === undefined ? {} : { Description: source.Description }),
  Meta: entry.Meta ?? {},
  Precedence: source.Precedence,
  CreateIndex: entry.CreateIndex,
  ModifyIndex: entry.ModifyIndex
})

/** The intentions of an entry, highest precedence first. */
export const intentionsIn = ({ entry, tenancy }: EntryRow): Intention[] =>
  entry.Kind === 'service-intentions' ? entry.Sources.map(source => intention(entry, tenancy, source)) : []

/** Highest precedence first, then by names. */
export const byPrecedence = (a: Intention, b: Intention): number =>
  b.Precedence - a.Precedence ||
  byText(a.SourceNS, b.SourceNS) ||
  byText(a.SourceName, b.SourceName) ||
  byText(a.DestinationNS, b.DestinationNS) ||
  byText(a.DestinationName, b.DestinationName)

/** The party itself and the wildcards that stand for it, from exact to general. */
const covering = ({ name, tenancy }: Party): readonly Party[] => {
  const { partition } = tenancy
  const all: readonly Party[] = [
    { name, tenancy },
    { name: '*', tenancy },
    { name: '*', tenancy: { partition, namespace: '*' } }
  ]
  return all.filter((party, i) => all.findIndex(other => isDeepStrictEqual(other, party)) === i)
}

const isParty = (party: Party, name: string, namespace: string): boolean =>
  party.name.toLowerCase() === name.toLowerCase() && party.tenancy.namespace === namespace

/** The one intention between two parties, wildcards taken literally. Cost: the sources of the destination. */
export const exactIntention = (
  entries: ConfigEntries,
  source: Party,
  destination: Party
): Intention | undefined => {
  const row = entries.row('service-intentions', destination.name, destination.tenancy)
  return row && intentionsIn(row).find(found => isParty(source, found.SourceName, found.SourceNS))
}

/** Every intention that bears on a destination, highest precedence first. Cost: the intentions found. */
export const matchDestination = (entries: ConfigEntries, party: Party): Intention[] =>
  covering(party)
    .flatMap(({ name, tenancy }) => {
      const row = entries.row('service-intentions', name, tenancy)
      return row ? intentionsIn(row) : []
    })
    .toSorted(byPrecedence)

/** Every intention that bears on a source, highest precedence first. Cost: the sources of the entries found. */
export const matchSource = (entries: ConfigEntries, party: Party): Intention[] => {
  const parties = covering(party)
  const rows = new Set(
    parties.flatMap(({ name, tenancy }) => [...entries.intentionsFrom(serviceKey(name, tenancy))])
  )
  return [...rows]
    .flatMap(intentionsIn)
    .filter(found => parties.some(one => isParty(one, found.SourceName, found.SourceNS)))
    .toSorted(byPrecedence)
}

/** The intention that decides on a connection; undefined when none bears on it. */
export const decidingIntention = (
  entries: ConfigEntries,
  source: Party,
  destination: Party
): Intention | undefined => {
  const sources = covering(source)
  return matchDestination(entries, destination).find(found =>
    sources.some(one => isParty(one, found.SourceName, found.SourceNS))
  )
}

/** Index of the last change of any intention that bears or bore on a destination, or on anything else of its namespace. */
export const destinationIndex = (entries: ConfigEntries, party: Party): number =>
  Math.max(...covering(party).map(({ tenancy }) => entries.indexOf(tenancy)))

/** Index of the last change of any intention that bears or bore on a source. */
export const sourceIndex = (entries: ConfigEntries, party: Party): number =>
  Math.max(
    ...covering(party).map(({ name, tenancy }) =>
      entries.indexOfMention('service-intentions', serviceKey(name, tenancy))
    )
  )

/** What changes when any of the intentions on a destination does, for blocking queries. */
export const destinationWatch = (party: Party): readonly string[] =>
  covering(party).map(
    ({ name, tenancy }) => `config/service-intentions/${spaceOf(tenancy)}/${name.toLowerCase()}`
  )

const isSameSource = (a: IntentionSource, b: IntentionSource): boolean =>
  a.Name === b.Name && a.Namespace === b.Namespace

/** The content of an entry with one source written into it, in the order of precedence. */
export const withSource = (content: ServiceIntentions, source: IntentionSource): ServiceIntentions => {
  const isThere = content.Sources.some(one => isSameSource(one, source))
  const sources = isThere
    ? content.Sources.map(one => (isSameSource(one, source) ? source : one))
    : [...content.Sources, source]
  return { ...content, Sources: sources.toSorted((a, b) => b.Precedence - a.Precedence) }
}

/** Whether a source of an entry in a tenancy is this party. */
export const isFrom = (party: Party, source: IntentionSource, { namespace }: Tenancy): boolean =>
  isParty(party, source.Name, source.Namespace ?? namespace)
