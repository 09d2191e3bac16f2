import { getOrCreate } from '../../maps.js'
import type { Resource, ScopeName } from '../rules/model.js'

/** `read-all`: reading every resource of a kind. `read-job`: reading the jobs of a namespace. */
export type ComparedAccess = 'read' | 'list' | 'write' | 'write-prefix' | 'read-all' | 'read-job'

/** The accesses that one authorizer grants and the other does not, for some names of a resource in some tenancies. */
export interface RightsDifference {
  readonly resource: Resource
  /** Null for resources without names, and for `read-all`. */
  readonly segment: ScopeName | null
  readonly partition: ScopeName
  /** `*` stands for any namespace. */
  readonly namespace: ScopeName
  readonly gained: readonly ComparedAccess[]
  readonly lost: readonly ComparedAccess[]
}

type Place = Pick<RightsDifference, 'resource' | 'segment' | 'partition' | 'namespace'>

interface DifferencePlace extends Place {
  readonly access: ComparedAccess
  /** False for a path at which only trees of names begin to differ. */
  readonly isLabel?: boolean
}

interface Found extends Place {
  readonly gained: Set<ComparedAccess>
  readonly lost: Set<ComparedAccess>
  readonly isLabel: boolean
}

const SIGNS = ['gained', 'lost'] as const

const isAny = ({ namespace }: Place): boolean => namespace.label === '*'

const keyOf = ({
  resource,
  segment,
  partition,
  namespace
}: Omit<Place, 'segment'> & Partial<Place>): string =>
  JSON.stringify([resource, segment, partition.match, partition.label, namespace.match, namespace.label])

/** The key of a place in any namespace. */
const anyKeyOf = (place: Place): string =>
  keyOf({ ...place, segment: named(place.segment), namespace: { match: 'exact', label: '*' } })

/** Rules are names, too, with further fields. */
const named = (segment: ScopeName | null): ScopeName | null =>
  segment && { match: segment.match, label: segment.label }

/** Collects differences by resource, names and tenancies. */
export class RightsDifferences {
  readonly #found = new Map<string, Found>()
  /** What is found in one namespace, as text, also for any. */
  readonly #implied = new Set<string>()

  add(
    { access, isLabel = true, resource, segment, partition, namespace }: DifferencePlace,
    isGain: boolean
  ): void {
    const place = { resource, segment: named(segment), partition, namespace }
    const found = getOrCreate(this.#found, keyOf(place), () => ({
      ...place,
      gained: new Set(),
      lost: new Set(),
      isLabel
    }))
    const sign = isGain ? 'gained' : 'lost'
    found[sign].add(access)
    if (!isAny(place)) this.#implied.add(`${sign} ${access} ${anyKeyOf(place)}`)
    if (access === 'write-prefix' && isLabel)
      this.#implied.add(`${sign} label ${keyOf({ resource, partition, namespace })}`)
  }

  /** Returns the differences without those that follow from others in the list. */
  values(): readonly RightsDifference[] {
    const shown: RightsDifference[] = []
    for (const found of this.#found.values()) {
      const [gained = [], lost = []] = SIGNS.map(sign =>
        [...found[sign]].filter(access => !this.#follows(found, access, sign))
      )
      const { resource, segment, partition, namespace } = found
      if (gained.length + lost.length > 0)
        shown.push({ resource, segment, partition, namespace, gained, lost })
    }
    return shown
  }

  #follows(found: Found, access: ComparedAccess, sign: (typeof SIGNS)[number]): boolean {
    const { segment, isLabel, resource, partition, namespace } = found
    if (isAny(found)) return this.#implied.has(`${sign} ${access} ${anyKeyOf(found)}`)
    if (access !== 'write-prefix' || segment?.match !== 'exact') return false
    const below = keyOf({ ...found, segment: { match: 'prefix', label: segment.label } })
    if (this.#found.get(below)?.[sign].has(access)) return true
    return !isLabel && this.#implied.has(`${sign} label ${keyOf({ resource, partition, namespace })}`)
  }
}
