// A checkpoint that covers what a write has changed, for callers who ask for it with the write.
import { invalid } from '../../actors/refusal.js'
import type { LogEvidence } from './log-evidence.js'
import type { Incoming } from './bodies/incoming-request.js'

export const CHECKPOINT_HEADER = 'X-Service-Checkpoint'
const NAME = CHECKPOINT_HEADER.toLowerCase()

/** Whether a write asks for one; a read never does. @throws Refusal `invalid`, naming header and rule */
export const asksForCheckpoint = (incoming: Incoming): boolean => {
  const value = incoming.method === 'GET' ? undefined : incoming.header(NAME)
  if (value === undefined || value === 'true') return value === 'true'
  throw invalid(`Bad request: ${CHECKPOINT_HEADER} must be "true", or left out`)
}

/** The header with the text of one that covers all that is durable now, in Base64; none when it cannot be made: the write has been done. */
export const checkpointHeader = async ({ opened }: LogEvidence): Promise<readonly string[]> => {
  const checkpoint = await opened?.checkpoints.covering(opened.log.durableIndex)
  return checkpoint ? [CHECKPOINT_HEADER, Buffer.from(checkpoint.text).toString('base64')] : []
}
