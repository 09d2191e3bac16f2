// The tree of a log and its checkpoints, as in a server.
import { pino } from 'pino'
import { sha256 } from '../../events/codec.js'
import { fromBase64 } from '../../events/log/evidence/base64.js'
import { openLeafBy, type DisclosedLeaf, type OpenedLeaf } from '../../events/log/evidence/open-leaf.js'
import { openNote } from '../../events/log/evidence/note.js'
import { parseCheckpoint, type TreeHead } from '../../events/log/evidence/signed-checkpoint.js'
import { parseVkey } from '../../events/log/evidence/note-keys.js'
import type { ProvableLog } from '../../events/log/provable-log.js'
import { LogEvidence, type OpenEvidence } from '../../http/wire/log-evidence.js'

export interface TestEvidence extends OpenEvidence {
  /** Logged messages. */
  readonly lines: readonly string[]
  close(): Promise<void>
}

/** Opens the tree of a log, and creates checkpoints from now on. */
export const evidenceOf = async (log: ProvableLog, key?: string): Promise<TestEvidence> => {
  const lines: string[] = []
  const logger = pino({}, { write: (line: string) => void lines.push(String(JSON.parse(line).msg)) })
  const evidence = new LogEvidence({ signing: key === undefined ? {} : { key } }, logger, undefined)
  await evidence.open(log)
  const close = (): Promise<void> => evidence.close()
  return { ...evidence.required, lines, close }
}

/** Returns the content of a signed checkpoint. @throws MalformedNote when its signature is invalid */
export const verifiedHead = (text: string, vkey: string): TreeHead =>
  parseCheckpoint(openNote(Buffer.from(text), [parseVkey(vkey)]).text)

/** Verifies the disclosed parts against the commitments of the leaf. @throws ProofFailed */
export const openLeaf = (shown: DisclosedLeaf): OpenedLeaf<Buffer> =>
  openLeafBy({ sha256, fromBase64 }, shown)
