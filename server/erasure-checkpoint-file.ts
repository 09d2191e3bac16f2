// Stores the progress of erasures beside the log. Copies of the log do not include it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import { EMPTY_ERASURE_CHECKPOINT, type ErasureCheckpoint } from '../actors/erasure/erasure-checkpoint.js'
import { replacePath } from '../events/files.js'

const FILE = 'erased.json'

const content = Type.Object({
  /** Log ID and incarnation. */
  Log: Type.String(),
  Incarnation: Type.Integer(),
  /** Secrets of resources that were deleted up to this commit are erased. */
  SecretsUpTo: Type.Integer({ minimum: 0 }),
  /** Erasures up to this commit are carried out in these files. */
  OrdersUpTo: Type.Integer({ minimum: 0 }),
  /** The newest commit whose secrets were erased; absent in files of older versions. */
  NewestSecrets: Type.Optional(Type.Integer({ minimum: 0 })),
  Files: Type.Array(Type.Object({ First: Type.Integer(), Stamp: Type.String() }))
})

interface LogIdentity {
  readonly id: string
  readonly incarnation: number
}

/** A missing, damaged or foreign file is ignored. The check of the log then starts over. */
export class ErasureCheckpointFile {
  readonly #path: string

  /** @param identityOf returns the identity of the log; undefined for a log in memory, which has no file */
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
    await replacePath(
      this.#path,
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
  }
}
