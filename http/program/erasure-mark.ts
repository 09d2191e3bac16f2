// How far the secrets of what has ended are erased from the log of a data folder: a file beside the log, which no copy of the log takes along.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as Type from 'typebox'
import { Value } from 'typebox/value'

const FILE = 'erased.json'

const content = Type.Object({
  /** ID and incarnation of the log. */
  Log: Type.String(),
  Incarnation: Type.Integer(),
  /** The secrets of all that has ended up to this commit are erased. */
  SecretsUpTo: Type.Integer({ minimum: 0 })
})

/** Which log it is. */
interface LogIdentity {
  readonly id: string
  readonly incarnation: number
}

/** A file that is missing, damaged, or of another log says 0: all is looked at again, which costs time only. */
export class ErasureMark {
  readonly #path: string
  readonly #identityOf: () => LogIdentity | undefined

  /** @param identityOf which log it is now; undefined for one that is kept nowhere, and has no such file */
  constructor(dataDir: string, identityOf: () => LogIdentity | undefined) {
    this.#path = join(dataDir, FILE)
    this.#identityOf = identityOf
  }

  async read(): Promise<number> {
    const identity = this.#identityOf()
    if (!identity) return 0
    const { id, incarnation } = identity
    try {
      const found: unknown = JSON.parse(await readFile(this.#path, 'utf8'))
      if (!Value.Check(content, found) || found.Log !== id || found.Incarnation !== incarnation) return 0
      return found.SecretsUpTo
    } catch {
      return 0
    }
  }

  async write(index: number): Promise<void> {
    const identity = this.#identityOf()
    if (!identity) return
    const { id, incarnation } = identity
    await writeFile(
      `${this.#path}.new`,
      JSON.stringify({ Log: id, Incarnation: incarnation, SecretsUpTo: index }),
      { mode: 0o600 }
    )
    await rename(`${this.#path}.new`, this.#path)
  }
}
