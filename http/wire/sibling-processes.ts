// Counts of the sibling processes of a server, for limits on all of them together.
import { Lifecycle, scoped } from 'tsyringe'

type Counted = 'connections' | 'streams'

export interface AddressCount {
  readonly what: Counted
  readonly address: string
  readonly count: number
}

@scoped(Lifecycle.ContainerScoped)
export class SiblingProcesses {
  /** By process, and by `what` and address. */
  readonly #counts = new Map<number, Map<string, AddressCount>>()
  readonly #sums: Record<Counted, number> = { connections: 0, streams: 0 }
  #listener: ((count: AddressCount) => void) | undefined

  /** Returns the siblings' total for an address. Costs a lookup per process. */
  from(what: Counted, address: string): number {
    let sum = 0
    for (const counts of this.#counts.values()) sum += counts.get(keyOf(what, address))?.count ?? 0
    return sum
  }

  /** Returns the siblings' total for all addresses. */
  all(what: Counted): number {
    return this.#sums[what]
  }

  take(by: number, count: AddressCount): void {
    const counts = this.#counts.get(by) ?? new Map<string, AddressCount>()
    this.#counts.set(by, counts)
    const key = keyOf(count.what, count.address)
    this.#sums[count.what] += count.count - (counts.get(key)?.count ?? 0)
    if (count.count > 0) counts.set(key, count)
    else counts.delete(key)
  }

  forget(by: number): void {
    for (const { what, count } of this.#counts.get(by)?.values() ?? []) this.#sums[what] -= count
    this.#counts.delete(by)
  }

  forgetAll(): void {
    for (const by of this.#counts.keys()) this.forget(by)
  }

  tell(count: AddressCount): void {
    this.#listener?.(count)
  }

  /** Sets the only listener for `tell`. */
  onCount(listener: (count: AddressCount) => void): void {
    this.#listener = listener
  }
}

const keyOf = (what: Counted, address: string): string => `${what} ${address}`
