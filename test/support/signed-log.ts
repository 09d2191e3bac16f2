// A log in memory with its tree and signed checkpoints.
import { checkpointText, type TreeHead } from '../../events/log/evidence/signed-checkpoint.js'
import type { NoteSigner } from '../../events/log/evidence/note-keys.js'
import { signNote } from '../../events/log/evidence/note.js'
import type { StoredRecord } from '../../events/log/record.js'
import { MerkleTree } from '../../events/log/tree/tree.js'
import type { ChainedLog } from '../../events/log/verify.js'

export interface Checkpointed {
  readonly note: string
  readonly head: TreeHead
}

/** Records with the interface of a log. */
export class RecordLog implements ChainedLog {
  readonly firstIndex = 1
  readonly tree = new MerkleTree()
  readonly #records: readonly StoredRecord[]

  constructor(records: readonly StoredRecord[]) {
    this.#records = records
    for (const { hash } of records) this.tree.append(hash)
  }

  get durableIndex(): number {
    return this.#records.length
  }

  async hashAt(index: number): Promise<string> {
    return this.#records[index - 1]?.hash.toString('hex') ?? ''
  }

  async *records(from: number): AsyncGenerator<readonly StoredRecord[]> {
    yield this.#records.slice(from - 1)
  }

  brokenPart(record: StoredRecord): string | undefined {
    return record.brokenCommitment()
  }

  /** Returns the signed checkpoint of a size. */
  async checkpoint(signer: NoteSigner, size = this.durableIndex): Promise<Checkpointed> {
    const head = { origin: signer.key.name, size, root: await this.tree.rootAt(size) }
    return { head, note: signNote(checkpointText(head), signer) }
  }
}
