// Single intentions of the service-intentions entries (spec: config.md §4.6, tenancy.md §8, §10).
import { isDeepStrictEqual } from 'node:util'
import type { IntentionPermission, IntentionSource } from '../../events/config/access.js'
import type { EntryOf } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { byText, spaceOf } from '../row-table.js'
import type { ConfigEntries } from './entries.js'
import type { EntryRow } from './rows.js'
import { runAtOnce, StepPace, type Steps } from '../steps.js'
import { serviceKey, tenancyNamed } from './names.js'

/** One end of an intention; `*` stands for every service or namespace. */
export interface Party {
  readonly name: string
  readonly tenancy: Tenancy
}

export interface Intention {
  /** UUID; only of an intention that was written by ID. */
  readonly ID?: string
  readonly SourceNS: string
  readonly SourceName: string
  readonly DestinationNS: string
  readonly DestinationName: string
  /** Omitted for `default`. */
  readonly SourcePartition?: string
  readonly DestinationPartition?: string
  readonly SourceType: string
  readonly Action?: string
  readonly Permissions?: readonly IntentionPermission[]
  readonly Description?: string
  readonly Meta?: Readonly<Record<string, string>>
  readonly Precedence: number
  /** RFC 3339; only of an intention with an ID. */
  readonly CreatedAt?: string
  readonly UpdatedAt?: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

const partitions = (source: Tenancy, destination: Tenancy) => ({
  ...(source.partition === 'default' ? {} : { SourcePartition: source.partition }),
  ...(destination.partition === 'default' ? {} : { DestinationPartition: destination.partition })
})

const filledMeta = (Meta: Intention['Meta']): Pick<Intention, 'Meta'> =>
  Meta && Object.keys(Meta).length > 0 ? { Meta } : {}

const intention = (
  entry: EntryOf<'service-intentions'>,
  place: Tenancy,
  source: IntentionSource,
  from: Tenancy
): Intention => ({
  ...(source.LegacyID === undefined ? {} : { ID: source.LegacyID }),
  SourceNS: from.namespace,
  SourceName: source.Name,
  DestinationNS: place.namespace,
  DestinationName: entry.Name,
  ...partitions(from, place),
  SourceType: source.Type,
  ...(source.Action === undefined ? {} : { Action: source.Action }),
  ...(source.Permissions === undefined ? {} : { Permissions: source.Permissions }),
  ...(source.Description === undefined ? {} : { Description: source.Description }),
  ...filledMeta(source.LegacyID === undefined ? entry.Meta : source.LegacyMeta),
  Precedence: source.Precedence,
  ...(source.LegacyCreateTime === undefined ? {} : { CreatedAt: source.LegacyCreateTime }),
  ...(source.LegacyUpdateTime === undefined ? {} : { UpdatedAt: source.LegacyUpdateTime }),
  CreateIndex: entry.CreateIndex,
  ModifyIndex: entry.ModifyIndex
})

export const intentionsIn = ({ entry, tenancy }: EntryRow): Intention[] =>
  entry.Kind === 'service-intentions'
    ? entry.Sources.map(source => intention(entry, tenancy, source, tenancyNamed(source, tenancy)))
    : []

const byPrecedence = (a: Intention, b: Intention): number =>
  b.Precedence - a.Precedence ||
  byText(a.SourceNS, b.SourceNS) ||
  byText(a.SourceName, b.SourceName) ||
  byText(a.DestinationNS, b.DestinationNS) ||
  byText(a.DestinationName, b.DestinationName)

/** The party itself and the wildcards that cover it, from exact to general. */
const covering = ({ name, tenancy }: Party): readonly Party[] => {
  const { partition } = tenancy
  const all: readonly Party[] = [
    { name, tenancy },
    { name: '*', tenancy },
    { name: '*', tenancy: { partition, namespace: '*' } }
  ]
  return all.filter((party, i) => all.findIndex(other => isDeepStrictEqual(other, party)) === i)
}

const isParty = (party: Party, name: string, tenancy: Tenancy): boolean =>
  serviceKey(party.name, party.tenancy) === serviceKey(name, tenancy)

export const sourceOf = ({ SourceName, SourceNS, SourcePartition = 'default' }: Intention): Party => ({
  name: SourceName,
  tenancy: { partition: SourcePartition, namespace: SourceNS }
})

export const destinationOf = ({
  DestinationName,
  DestinationNS,
  DestinationPartition = 'default'
}: Intention): Party => ({
  name: DestinationName,
  tenancy: { partition: DestinationPartition, namespace: DestinationNS }
})

const isSource = (party: Party, found: Intention): boolean => {
  const { name, tenancy } = sourceOf(found)
  return isParty(party, name, tenancy)
}

/** The intention between two parties; wildcards are literal. Cost: the sources of the destination. */
export const exactIntention = (
  entries: ConfigEntries,
  source: Party,
  destination: Party
): Intention | undefined => {
  const row = entries.row('service-intentions', destination.name, destination.tenancy)
  return row && intentionsIn(row).find(found => isSource(source, found))
}

/** Cost: the sources of the entry. */
export const intentionById = (
  entries: ConfigEntries,
  id: string
): { readonly row: EntryRow; readonly found: Intention } | undefined => {
  const [row] = entries.intentionsWithId(id)
  const found = row && intentionsIn(row).find(({ ID }) => ID === id)
  return found && { row, found }
}

/** The entries on a destination and on the wildcards that cover it. */
export const destinationRows = (entries: ConfigEntries, party: Party): readonly EntryRow[] =>
  covering(party).flatMap(({ name, tenancy }) => entries.row('service-intentions', name, tenancy) ?? [])

/** The entries with an intention of a source or of a wildcard that covers it. Cost: those. */
export const sourceRows = (entries: ConfigEntries, party: Party): readonly EntryRow[] => [
  ...new Set(
    covering(party).flatMap(({ name, tenancy }) => [...entries.intentionsFrom(serviceKey(name, tenancy))])
  )
]

/**
 * Returns the intentions of entries, highest precedence first. Cost: the sources of the entries.
 * @param source selects its intentions and those of the wildcards that cover it
 */
export function* matchingIntentions(rows: readonly EntryRow[], source?: Party): Steps<readonly Intention[]> {
  const keys = source && covering(source).map(({ name, tenancy }) => serviceKey(name, tenancy))
  const found: Intention[] = []
  const pace = new StepPace()
  for (const { entry, tenancy } of rows) {
    if (entry.Kind !== 'service-intentions') continue
    for (const one of entry.Sources) {
      const from = tenancyNamed(one, tenancy)
      if (!keys || keys.includes(serviceKey(one.Name, from))) found.push(intention(entry, tenancy, one, from))
      if (pace.isOver()) yield
    }
  }
  return found.toSorted(byPrecedence)
}

/** The intention that decides on a connection; undefined without one. Cost: the sources of the destination. */
export const decidingIntention = (
  entries: ConfigEntries,
  source: Party,
  destination: Party
): Intention | undefined => runAtOnce(matchingIntentions(destinationRows(entries, destination), source))[0]

/** Index of the last change of any intention in the namespaces that cover a destination. */
export const destinationIndex = (entries: ConfigEntries, party: Party): number =>
  Math.max(...covering(party).map(({ tenancy }) => entries.indexOf(tenancy)))

/** Index of the last change of any intention that has or had the source. */
export const sourceIndex = (entries: ConfigEntries, party: Party): number =>
  Math.max(
    ...covering(party).map(({ name, tenancy }) =>
      entries.indexOfMention('service-intentions', serviceKey(name, tenancy))
    )
  )

export const destinationWatch = (party: Party): readonly string[] =>
  covering(party).map(
    ({ name, tenancy }) => `config/service-intentions/${spaceOf(tenancy)}/${name.toLowerCase()}`
  )

export const isFrom = (party: Party, source: IntentionSource, tenancy: Tenancy): boolean =>
  isParty(party, source.Name, tenancyNamed(source, tenancy))
