// What is known from outside of how a log was, compared with how it is.
import type { GrowingRoot } from './growing-root.js'
import { Unproved } from './proofs.js'

/** That a log had so many commits, with this root of the tree over them; or that a commit had this hash. */
export interface Pin {
  readonly kind: 'tree' | 'commit'
  /** The number of commits, or the index of the commit. */
  readonly index: number
  /** 32 bytes. */
  readonly hash: Buffer
  /** From where that is known, such as `the checkpoint of size 7 in old.txt`. */
  readonly source: string
}

/** Compares pins with the commits of a log as they are walked. */
export class Pins {
  readonly #open: Pin[]

  /** @param walked index of the first commit that is walked */
  constructor(pins: readonly Pin[]) {
    this.#open = pins.toSorted((a, b) => a.index - b.index)
  }

  /** Pins of commits that were not walked yet. */
  get open(): readonly Pin[] {
    return this.#open
  }

  /**
   * Takes the next commit.
   * @param tree over the commits up to this one
   * @throws Unproved when it, or the tree, is not what is known
   */
  check(index: number, hash: Buffer, tree: GrowingRoot): void {
    for (let [pin] = this.#open; pin && pin.index <= index; [pin] = this.#open) {
      this.#open.shift()
      compare(pin, pin.kind === 'tree' ? tree.root : hash)
    }
  }

  /** The walk has come to the end. @throws Unproved when more is known */
  end(index: number): void {
    const [pin] = this.#open
    if (pin)
      throw new Unproved(
        `the log ends with commit ${index}, and ${pin.source} tells of ${pin.index}: the end was cut off`
      )
  }
}

/** @throws Unproved when a pin is not met */
export function compare({ kind, index, hash, source }: Pin, found: Uint8Array): void {
  if (Buffer.compare(hash, found) === 0) return
  throw new Unproved(
    kind === 'tree'
      ? `commits 1 to ${index} are not those of ${source}: at least one was changed, cut out, moved or put in`
      : `commit ${index} is not the one of ${source}: it, or a commit before it, was changed, cut out, moved or put in`
  )
}
