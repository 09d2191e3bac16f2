// Checks the consistency of entries after a change (spec: config.md §5): compiles the affected chains, and checks the
// gateways and intentions that depend on their protocols.
import { nameOfEntry, type ConfigEntry, type ConfigKind } from '../../events/config-entry.js'
import type { IngressGateway } from '../../events/config/access.js'
import { recover } from '../../events/errors.js'
import type { Tenancy } from '../../events/envelope.js'
import { getOrCreate } from '../maps.js'
import { CompileError, entryText, serviceText, type EntryRef } from '../chain/chain.js'
import { checkChain, type ChainOutcome } from '../chain/compile.js'
import { isL7 } from '../chain/compilation.js'
import { affectedBy, type EntryChange } from './affected.js'
import { ConfigError, Faults } from '../../events/config/fields/decoder.js'
import {
  CHAIN_KINDS,
  entryKey,
  hasPermissions,
  ROUTING,
  serviceKey,
  tenancyNamed,
  type ServiceName
} from './names.js'
import type { EntryReader } from './reader.js'
import type { EntryRow } from './rows.js'

export type { EntryChange } from './affected.js'

/** Returns false for an entry whose change breaks no rule, whatever the other entries are. */
export const mayConflict = (entry: ConfigEntry): boolean =>
  CHAIN_KINDS.has(entry.Kind) || GATEWAY_KINDS.has(entry.Kind) || hasPermissions(entry)

const rowText = ({ entry, tenancy }: EntryRow): string =>
  entryText({ kind: entry.Kind, name: nameOfEntry(entry), tenancy })

/** The chains of one state of the entries, each compiled at most once. */
class Chains {
  readonly #changed: ReadonlySet<string>
  readonly #outcomes = new Map<string, ChainOutcome>()

  constructor(
    private readonly entries: EntryReader,
    private readonly datacenter: string,
    changes: readonly EntryChange[]
  ) {
    this.#changed = new Set(changes.map(({ kind, name, tenancy }) => entryKey(kind, name, tenancy)))
  }

  /** @throws ConfigError for a compile error, naming the entries that conflict with the change */
  outcome({ service, tenancy }: ServiceName): ChainOutcome {
    const key = serviceKey(service, tenancy)
    return getOrCreate(this.#outcomes, key, () => this.#compile(service, tenancy))
  }

  #compile(service: string, tenancy: Tenancy): ChainOutcome {
    const datacenter = this.datacenter
    const question = { service, tenancy, datacenter, homeDatacenter: datacenter, clusterId: '' }
    const check = () => checkChain(question, this.entries)
    return recover(check, CompileError, error => {
      throw new ConfigError(error.message + this.#standingText(error, service, tenancy))
    })
  }

  #standingText({ entries }: CompileError, service: string, tenancy: Tenancy): string {
    const own = ROUTING.map((kind): EntryRef => ({ kind, name: service, tenancy }))
    const standing = new Set(
      [...entries, ...own]
        .flatMap(({ kind, name, tenancy: place }) => {
          const row = this.entries.find(kind, name, place)
          return row && !this.#changed.has(entryKey(row.entry.Kind, row.name, row.tenancy)) ? [row] : []
        })
        .map(rowText)
    )
    return standing.size === 0
      ? ''
      : `; the write is refused because of the discovery chain of ${serviceText(service, tenancy)}, ` +
          `in which these entries stand against it: ${[...standing].join(', ')}`
  }
}

const checkGateway = (row: EntryRow, gateway: IngressGateway, isStrict: boolean, chains: Chains): void => {
  for (const { Port, Protocol, Services } of gateway.Listeners ?? [])
    for (const one of Services ?? []) {
      if (one.Name === '*') continue
      const tenancy = tenancyNamed(one, row.tenancy)
      const { protocol, startNode } = chains.outcome({ service: one.Name, tenancy })
      const startsAtResolver = startNode.startsWith('resolver:')
      if (protocol === Protocol || (!isStrict && Protocol === 'tcp' && startsAtResolver)) continue
      throw new ConfigError(
        `service ${serviceText(one.Name, tenancy)} has the protocol "${protocol}", which is ` +
          `incompatible with the protocol "${Protocol}" of the listener on port ${Port} of ${rowText(row)}`
      )
    }
}

const checkIntentions = (row: EntryRow, chains: Chains): void => {
  const { protocol } = chains.outcome({ service: row.name, tenancy: row.tenancy })
  if (!isL7(protocol))
    throw new ConfigError(
      `${rowText(row)} has permissions, which need the protocol http, http2 or grpc, ` +
        `but the service has the protocol "${protocol}"`
    )
}

const GATEWAY_KINDS: ReadonlySet<ConfigKind> = new Set(['ingress-gateway', 'terminating-gateway'])

const checkClash = ({ kind, name, tenancy, isDeleted }: EntryChange, entries: EntryReader): void => {
  if (isDeleted || !GATEWAY_KINDS.has(kind)) return
  const other = kind === 'ingress-gateway' ? 'terminating-gateway' : 'ingress-gateway'
  const row = entries.row(other, name, tenancy)
  if (row) throw new ConfigError(`${rowText(row)} exists: two gateways may not have the same name`)
}

function* checksOf(
  entries: EntryReader,
  changes: readonly EntryChange[],
  datacenter: string
): Iterable<() => void> {
  const affected = affectedBy(entries, changes)
  const chains = new Chains(entries, datacenter, changes)
  for (const change of changes) yield () => checkClash(change, entries)
  for (const place of affected.chains.values())
    yield () => {
      chains.outcome(place)
    }
  for (const [row, isStrict] of affected.gateways) {
    const { entry } = row
    if (entry.Kind === 'ingress-gateway') yield () => checkGateway(row, entry, isStrict, chains)
  }
  for (const row of affected.intentions) yield () => checkIntentions(row, chains)
}

/**
 * Checks a state after changes, once for all of them. Costs the compilation of the chains that name a changed service, unless the change is neutral
 * (`isChainNeutral`). Another default protocol costs the chains that lead to services without service-defaults, in the worst case all of them (about
 * 20 µs each). Proxy-defaults with the same protocol cost only the chains of services that changed two steps away since proxy-defaults were written.
 * @param entries the state after the changes
 * @throws ConfigError that names the entries that conflict with the changes
 */
export const checkChanges = (
  entries: EntryReader,
  changes: readonly EntryChange[],
  datacenter: string
): void => {
  for (const check of checksOf(entries, changes, datacenter)) check()
}

/** Every conflict with changes, each once. Costs what `checkChanges` does. */
export const faultsOf = (
  entries: EntryReader,
  changes: readonly EntryChange[],
  datacenter: string
): readonly string[] => {
  const faults = new Faults()
  for (const check of checksOf(entries, changes, datacenter)) faults.check(check)
  return faults.texts
}
