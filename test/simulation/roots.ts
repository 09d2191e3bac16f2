// The checkpoints that clients were given, checked against the logs that are left.
import { parseCheckpoint } from '../../events/log/evidence/signed-checkpoint.js'
import { parseNote } from '../../events/log/evidence/note.js'
import { HistoryError } from './history.js'

/** The root of a log's tree after so many commits; undefined if the log has fewer, `damaged` if the log reports decayed files. */
export type FoundRoot = Buffer | 'damaged' | undefined

export class SeenRoots {
  /** Roots in hex by the number of commits. */
  readonly #roots = new Map<number, string>()

  /** @param header the checkpoint in Base64, as in `X-Service-Checkpoint` @throws HistoryError if another root was given for the same size */
  add(header: string, client: string): void {
    const { size, root } = parseCheckpoint(parseNote(Buffer.from(header, 'base64')).text)
    const hex = Buffer.from(root).toString('hex')
    const known = this.#roots.get(size) ?? hex
    if (known !== hex) throw new HistoryError(`${client} has another root of ${size} commits`)
    this.#roots.set(size, hex)
  }

  /** @throws HistoryError if a log has another root, or too few commits */
  async check(rootAt: (size: number) => Promise<FoundRoot>, name: string): Promise<void> {
    for (const [size, root] of this.#roots) {
      const found = await rootAt(size)
      if (found !== 'damaged' && found?.toString('hex') !== root)
        throw new HistoryError(`${name} does not have the root of the checkpoint of ${size} commits`)
    }
  }
}
