import { LRUCache } from 'lru-cache'
import { cacheLimits } from '../events/cache-limits.js'
import { clusterEvents } from '../events/cluster.js'
import { CONFIG_ENTRY_TOPIC, isConfigEntryEvent, nameOfEntry } from '../events/config-entry.js'
import type { Event, Tenancy } from '../events/envelope.js'
import { recover } from '../events/errors.js'
import type { ClusterIdentity } from './latest-events.js'
import { compileChain } from './chain/compile.js'
import { CompileError, type EntryRef } from './chain/chain.js'
import type { ChainQuestion } from './chain/compilation.js'
import type { ConfigLookup } from './config/rows.js'
import { entryKey } from './config/names.js'
import type { Projection, Fact } from './projection.js'
import { spaceOf } from './row-table.js'
import { namespacedTenancyOf } from './tenancy-view.js'
import { addTo, removeFrom } from './maps.js'
import type { WatchKey } from './watch.js'

const MOST_CHAINS = 10_000
const MOST_CHARACTERS = 32 * 1024 * 1024

/** The cluster is the server's own. */
type ChainRequest = Omit<ChainQuestion, 'clusterId'>

interface CompiledChain {
  /** The response `{"Chain": …}` and the protocol of the chain, or its error. */
  readonly result: { readonly json: string; readonly protocol: string } | { readonly error: CompileError }
  /** The tenancies of the entries that it depends on, whether they exist or not. */
  readonly tenancies: readonly Tenancy[]
  /** The keys of the entries that it depends on, whether they exist or not. */
  readonly entries: readonly string[]
  readonly watch: readonly WatchKey[]
}

/**
 * Serialized chains, cached until an entry that they depend on changes. Costs: a cached chain O(1), another one its compilation; a change of an entry
 * O(chains that read it). Memory: at most 10,000 chains and 32 million characters. The chains are not state: they follow from the entries.
 */
export class CompiledChains implements Projection {
  readonly topics = [CONFIG_ENTRY_TOPIC, clusterEvents.topic]
  readonly memory = {}
  readonly #chains = new LRUCache<string, CompiledChain>({
    ...cacheLimits<CompiledChain>(
      MOST_CHAINS,
      MOST_CHARACTERS,
      ({ result, entries }, key) =>
        ('json' in result ? result.json : result.error.message).length +
        2 * entries.join().length +
        key.length
    ),
    onInsert: ({ entries }, key) => {
      for (const entry of entries) addTo(this.#readers, entry, key)
    },
    dispose: ({ entries }, key) => {
      for (const entry of entries) removeFrom(this.#readers, entry, key)
    }
  })
  /** Keys of the chains that read an entry, by the key of the entry. */
  readonly #readers = new Map<string, Set<string>>()

  constructor(
    private readonly entries: ConfigLookup,
    private readonly cluster: ClusterIdentity
  ) {}

  get count(): number {
    return this.#chains.size
  }

  get(request: ChainRequest): CompiledChain {
    const key = keyOf(request)
    const known = this.#chains.get(key)
    if (known) return known
    const chain = this.#compile(request)
    this.#chains.set(key, chain)
    return chain
  }

  apply(event: Event): void {
    // The names of targets contain the cluster's ID.
    if (clusterEvents.is(event)) this.#chains.clear()
    if (!isConfigEntryEvent(event)) return
    const entry = event.Payload.ConfigEntry
    const readers = this.#readers.get(entryKey(entry.Kind, nameOfEntry(entry), namespacedTenancyOf(event)))
    if (readers) for (const key of Array.from(readers)) this.#chains.delete(key)
  }

  reset(): void {
    this.#chains.clear()
    this.#readers.clear()
  }

  *facts(): Iterable<Fact> {}

  #compile(request: ChainRequest): CompiledChain {
    const question = { ...request, clusterId: this.cluster.id }
    const compile = (): CompiledChain => {
      const { chain, reads } = compileChain(question, this.entries)
      return compiled({ json: JSON.stringify({ Chain: chain }), protocol: chain.Protocol }, reads)
    }
    return recover(compile, CompileError, error => compiled({ error }, error.reads))
  }
}

const compiled = (result: CompiledChain['result'], reads: readonly EntryRef[]): CompiledChain => {
  const entries = reads.map(({ kind, name, tenancy }) => entryKey(kind, name, tenancy))
  const tenancies = [...new Map(reads.map(({ tenancy }) => [spaceOf(tenancy), tenancy])).values()]
  return { result, tenancies, entries, watch: entries.map(entry => `config/${entry}`) }
}

/** The key of a request. Lengths separate parts that may contain any character. */
const keyOf = ({ service, tenancy, datacenter, homeDatacenter, overrides }: ChainRequest): string => {
  const place = `${tenancy.partition}/${tenancy.namespace}/${homeDatacenter}`
  const key = `${service.length}/${datacenter.length}/${place}/${service}/${datacenter}`
  if (!overrides) return key
  const { protocol, connectTimeout, meshGatewayMode } = overrides
  return `${key}/${connectTimeout}/${meshGatewayMode}/${protocol}`
}
