// How far erasing in the log of a data folder has come: a file beside the log, which no copy of the log takes along.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import { EMPTY_ERASURE_CHECKPOINT, type ErasureCheckpoint } from '../actors/erasure/erasure-checkpoint.js'

const FILE = 'erased.json'

const content = Type.Object({
  /** ID and incarnation of the log. */
  Log: Type.String(),
  Incarnation: Type.Integer(),
  /** The secrets of all that has ended up to this commit are erased. */
  SecretsUpTo: Type.Integer({ minimum: 0 }),
  /** All orders up to this commit are carried out in these files. */
  OrdersUpTo: Type.Integer({ minimum: 0 }),
  /** The newest commit whose secrets were erased; absent in what older versions have written. */
  NewestSecrets: Type.Optional(Type.Integer({ minimum: 0 })),
  Files: Type.Array(Type.Object({ First: Type.Integer(), Stamp: Type.String() }))
})

/** Which log it is. */
interface LogIdentity {
  readonly id: string
  readonly incarnation: number
}

/** A file that is missing, damaged, or of another log says nothing: all is looked at again, which costs time only. */
export class ErasureCheckpointFile {
  readonly #path: string

  /** @param identityOf which log it is now; undefined for one that is kept nowhere, and has no such file */
  constructor(
    dataDir: string,
    private readonly identityOf: () => LogIdentity | undefined
  ) {
    this.#path = join(dataDir, FILE)
  }

  async read(): Promise<ErasureCheckpoint> {
    const identity = this.identityOf()
    if (!identity) return EMPTY_ERASURE_CHECKPOINT
    const { id, incarnation } = identity
    try {
      const found: unknown = JSON.parse(await readFile(this.#path, 'utf8'))
      if (!Value.Check(content, found) || found.Log !== id || found.Incarnation !== incarnation)
        return EMPTY_ERASURE_CHECKPOINT
      const {
        SecretsUpTo: secretsUpTo,
        OrdersUpTo: ordersUpTo,
        NewestSecrets: newestSecrets = 0,
        Files
      } = found
      return {
        secretsUpTo,
        ordersUpTo,
        newestSecrets,
        files: Files.map(({ First: first, Stamp: stamp }) => ({ first, stamp }))
      }
    } catch {
      return EMPTY_ERASURE_CHECKPOINT
    }
  }

  async write({ secretsUpTo, ordersUpTo, files, newestSecrets }: ErasureCheckpoint): Promise<void> {
    const identity = this.identityOf()
    if (!identity) return
    const { id, incarnation } = identity
    await writeFile(
      `${this.#path}.new`,
      JSON.stringify({
        Log: id,
        Incarnation: incarnation,
        SecretsUpTo: secretsUpTo,
        OrdersUpTo: ordersUpTo,
        NewestSecrets: newestSecrets,
        Files: files.map(({ first: First, stamp: Stamp }) => ({ First, Stamp }))
      }),
      { mode: 0o600 }
    )
    await rename(`${this.#path}.new`, this.#path)
  }
}
