// The last use of each token, to the minute. It is not part of the log, since a use changes nothing.
import { Lifecycle, scoped } from 'tsyringe'
import { formatTime } from '../../events/time.js'

export const MINUTE_MS = 60_000

/** Minimum number of changes that `changedSince` covers. */
const KNOWN_CHANGES = 4096

/**
 * The minute of the last use by accessor. Noting a use costs a lookup; only the first one of a token in a minute changes anything. About 100
 * bytes for each token ever used.
 */
@scoped(Lifecycle.ContainerScoped)
export class TokenUse {
  /** Minutes since the epoch. */
  readonly #minutes = new Map<string, number>()
  #changed = new Set<string>()
  #minute = 0
  #text = ''
  #recent: string[] = []
  #version = 0
  #noted: ((accessor: string, minute: number) => void) | undefined

  get version(): number {
    return this.#version
  }

  /** Returns the accessors whose minutes changed after a version; undefined if that is too long ago. */
  changedSince(version: number): readonly string[] | undefined {
    const count = this.#version - version
    if (count > this.#recent.length) return undefined
    return count <= 0 ? [] : this.#recent.slice(-count)
  }

  /** Records a use. @param at epoch milliseconds */
  note(accessor: string, at: number): void {
    const minute = Math.floor(at / MINUTE_MS)
    if ((this.#minutes.get(accessor) ?? 0) >= minute) return
    this.#set(accessor, minute)
    this.#changed.add(accessor)
    this.#noted?.(accessor, minute)
  }

  /** Sets the only listener for uses, called once for each token and minute. */
  onNoted(listener: (accessor: string, minute: number) => void): void {
    this.#noted = listener
  }

  /** Restores a use before this process, unless a later one is known. */
  recall(accessor: string, minute: number): void {
    if ((this.#minutes.get(accessor) ?? 0) < minute) this.#set(accessor, minute)
  }

  /** Returns the beginning of the minute of the last use, epoch milliseconds; undefined for unused tokens. */
  lastUsed(accessor: string): number | undefined {
    const minute = this.#minutes.get(accessor)
    return minute === undefined ? undefined : minute * MINUTE_MS
  }

  /** Returns the same as RFC 3339. Caches the text, since many tokens of a list share a minute. */
  lastUsedText(accessor: string): string | undefined {
    const minute = this.#minutes.get(accessor)
    if (minute === undefined) return undefined
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#text = formatTime(minute * MINUTE_MS)
    }
    return this.#text
  }

  *all(): Iterable<readonly [accessor: string, text: string]> {
    for (const accessor of this.#minutes.keys()) yield [accessor, this.lastUsedText(accessor) ?? '']
  }

  takeChanged(): (readonly [accessor: string, minute: number])[] {
    const changed = [...this.#changed].map(accessor => [accessor, this.#minutes.get(accessor) ?? 0] as const)
    this.#changed = new Set()
    return changed
  }

  /** Removes deleted tokens, and returns the others. */
  keep(isThere: (accessor: string) => boolean): (readonly [accessor: string, minute: number])[] {
    for (const accessor of Array.from(this.#minutes.keys()))
      if (!isThere(accessor)) this.#minutes.delete(accessor)
    return [...this.#minutes]
  }

  #set(accessor: string, minute: number): void {
    this.#minutes.set(accessor, minute)
    this.#version++
    this.#recent.push(accessor)
    if (this.#recent.length > 2 * KNOWN_CHANGES) this.#recent = this.#recent.slice(-KNOWN_CHANGES)
  }
}
