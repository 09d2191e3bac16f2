// When each token was last used, to the minute. It is no part of the log: a use changes nothing.
import { Lifecycle, scoped } from 'tsyringe'
import { formatTime } from '../../events/time.js'

export const MINUTE_MS = 60_000

/** Changes that `changedSince` knows at the least. */
const KNOWN_CHANGES = 4096

/**
 * The minute of the last use by accessor. Noting a use costs a look-up; only the first one of a token in a minute
 * changes anything. About 100 bytes for each token ever used.
 */
@scoped(Lifecycle.ContainerScoped)
export class TokenUse {
  /** Minutes since the epoch. */
  readonly #minutes = new Map<string, number>()
  #changed = new Set<string>()
  #minute = 0
  #text = ''
  /** The accessors whose minutes changed last, in that order. */
  #recent: string[] = []
  #version = 0
  #noted: ((accessor: string, minute: number) => void) | undefined

  /** Number of changes of minutes since the process began. */
  get version(): number {
    return this.#version
  }

  /** The accessors whose minutes changed after a version; undefined when that is too long ago to be known. */
  changedSince(version: number): readonly string[] | undefined {
    const count = this.#version - version
    if (count > this.#recent.length) return undefined
    return count <= 0 ? [] : this.#recent.slice(-count)
  }

  /** A token was used at this time, epoch milliseconds. */
  note(accessor: string, at: number): void {
    const minute = Math.floor(at / MINUTE_MS)
    if ((this.#minutes.get(accessor) ?? 0) >= minute) return
    this.#set(accessor, minute)
    this.#changed.add(accessor)
    this.#noted?.(accessor, minute)
  }

  /** Calls with the minute of each use that is noted from now on, once for each token and minute. For one listener. */
  onNoted(listener: (accessor: string, minute: number) => void): void {
    this.#noted = listener
  }

  /** What was noted before this process began. Later uses stand. */
  recall(accessor: string, minute: number): void {
    if ((this.#minutes.get(accessor) ?? 0) < minute) this.#set(accessor, minute)
  }

  /** The beginning of the minute of the last use, epoch milliseconds; undefined when none was noted. */
  lastUsed(accessor: string): number | undefined {
    const minute = this.#minutes.get(accessor)
    return minute === undefined ? undefined : minute * MINUTE_MS
  }

  /** The same as RFC 3339. Tokens are asked for in lists, where many have the same minute. */
  lastUsedText(accessor: string): string | undefined {
    const minute = this.#minutes.get(accessor)
    if (minute === undefined) return undefined
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#text = formatTime(minute * MINUTE_MS)
    }
    return this.#text
  }

  /** All that were ever used, with `lastUsedText`. */
  *all(): Iterable<readonly [accessor: string, text: string]> {
    for (const accessor of this.#minutes.keys()) yield [accessor, this.lastUsedText(accessor) ?? '']
  }

  /** Those whose minute has changed since the last call, with it. */
  takeChanged(): (readonly [accessor: string, minute: number])[] {
    const changed = [...this.#changed].map(accessor => [accessor, this.#minutes.get(accessor) ?? 0] as const)
    this.#changed = new Set()
    return changed
  }

  /** Forgets tokens that are gone, and answers with the rest. */
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
