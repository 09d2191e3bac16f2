// What the import knows of each kind of things.
import type { Reader } from './reader.js'
import type { Thing } from './thing.js'

/** A request that writes one thing, or several. */
export interface Writing {
  readonly method: 'PUT' | 'POST'
  readonly path: string
  readonly body: unknown
}

/** Things of one kind: read in the same way from both servers. */
export interface Kind {
  /** In the singular, as in `--only`. */
  readonly name: string
  /** Whether each namespace has its own; else they are looked for in `default` alone. */
  readonly isNamespaced: boolean
  /** Only imported when it is asked for. */
  readonly isByChoice?: true
  /** @throws RequestRefused, Unreachable */
  readonly read: (reader: Reader) => Promise<readonly Thing[]>
  /** What can be told before anything is written: why things cannot be taken, by their names. @throws RequestRefused, Unreachable */
  readonly foreseen?: (things: readonly Thing[], target: Reader) => Promise<ReadonlyMap<string, string>>
  /** How one is written. @param there the same thing as the server shows it that takes it */
  readonly writing: (thing: Thing, there: Thing | undefined) => readonly Writing[]
  /** How several new or changed ones are written at once, all or none of them. */
  readonly together?: (things: readonly Thing[]) => Writing
}
