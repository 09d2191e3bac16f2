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

interface DifferencePlace extends Pick<RightsDifference, 'resource' | 'segment' | 'partition' | 'namespace'> {
  readonly access: ComparedAccess
  /** False for a path at which only trees of names begin to differ. */
  readonly isLabel?: boolean
}

interface Found extends Omit<RightsDifference, 'gained' | 'lost'> {
  readonly gained: Set<ComparedAccess>
  readonly lost: Set<ComparedAccess>
  readonly isLabel: boolean
}

const keyOf = ({ resource, segment, partition, namespace }: Omit<DifferencePlace, 'access'>): string =>
  JSON.stringify([
    resource,
    segment?.match,
    segment?.label,
    partition.match,
    partition.label,
    namespace.match,
    namespace.label
  ])

/** Collects differences by resource, names and tenancies. */
export class RightsDifferences {
  readonly #found = new Map<string, Found>()

  add(place: DifferencePlace, isGain: boolean): void {
    const { access, isLabel = true, ...others } = place
    const key = keyOf(place)
    const found = this.#found.get(key) ?? { ...others, gained: new Set(), lost: new Set(), isLabel }
    this.#found.set(key, found)
    ;(isGain ? found.gained : found.lost).add(access)
  }

  /** Returns the differences without those that follow from others in the list. */
  values(): readonly RightsDifference[] {
    const shown: RightsDifference[] = []
    for (const found of this.#found.values()) {
      const gained = [...found.gained].filter(access => !this.#follows(found, access, 'gained'))
      const lost = [...found.lost].filter(access => !this.#follows(found, access, 'lost'))
      const { isLabel: _, ...others } = found
      if (gained.length + lost.length > 0) shown.push({ ...others, gained, lost })
    }
    return shown
  }

  #follows(found: Found, access: ComparedAccess, sign: 'gained' | 'lost'): boolean {
    const { segment, namespace } = found
    const has = (place: Found): boolean => this.#found.get(keyOf(place))?.[sign].has(access) === true
    if (namespace.label === '*')
      return [...this.#found.values()].some(
        other => other.namespace.label !== '*' && has({ ...found, namespace: other.namespace })
      )
    if (access !== 'write-prefix' || segment?.match !== 'exact') return false
    if (has({ ...found, segment: { match: 'prefix', label: segment.label } })) return true
    return (
      !found.isLabel &&
      [...this.#found.values()].some(
        other =>
          other.isLabel &&
          other.resource === found.resource &&
          keyOf({ ...other, segment: null }) === keyOf({ ...found, segment: null }) &&
          other[sign].has(access)
      )
    )
  }
}
