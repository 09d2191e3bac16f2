// What the other processes of a server count that is limited for all of them together. A server of one process has none.
import { Lifecycle, scoped } from 'tsyringe'

type Counted = 'connections' | 'streams'

/** How many of something a process has from one client address. */
export interface AddressCount {
  readonly what: Counted
  readonly address: string
  readonly count: number
}

@scoped(Lifecycle.ContainerScoped)
export class SiblingProcesses {
  /** By process, and by what and address. */
  readonly #counts = new Map<number, Map<string, AddressCount>>()
  /** Of all of them together. */
  readonly #sums: Record<Counted, number> = { connections: 0, streams: 0 }
  #listener: ((count: AddressCount) => void) | undefined

  /** How many the others have from an address. Costs a look for each process. */
  from(what: Counted, address: string): number {
    let sum = 0
    for (const counts of this.#counts.values()) sum += counts.get(keyOf(what, address))?.count ?? 0
    return sum
  }

  /** How many the others have in all. */
  all(what: Counted): number {
    return this.#sums[what]
  }

  /** Takes what another process tells. */
  take(by: number, count: AddressCount): void {
    const counts = this.#counts.get(by) ?? new Map<string, AddressCount>()
    this.#counts.set(by, counts)
    const key = keyOf(count.what, count.address)
    this.#sums[count.what] += count.count - (counts.get(key)?.count ?? 0)
    if (count.count > 0) counts.set(key, count)
    else counts.delete(key)
  }

  /** Another process has ended. Costs a look for each address that it had any from. */
  forget(by: number): void {
    for (const { what, count } of this.#counts.get(by)?.values() ?? []) this.#sums[what] -= count
    this.#counts.delete(by)
  }

  /** What the others have told is told anew. */
  forgetAll(): void {
    for (const by of this.#counts.keys()) this.forget(by)
  }

  /** Tells the others what this process has. */
  tell(count: AddressCount): void {
    this.#listener?.(count)
  }

  /** Calls with what this process tells from now on. For one listener. */
  onCount(listener: (count: AddressCount) => void): void {
    this.#listener = listener
  }
}

const keyOf = (what: Counted, address: string): string => `${what} ${address}`
