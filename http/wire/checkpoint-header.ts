// The header with a checkpoint that covers a write.
import { invalid } from '../../actors/refusal.js'
import type { LogEvidence } from './log-evidence.js'
import type { Incoming } from './bodies/incoming-request.js'

export const CHECKPOINT_HEADER = 'X-Service-Checkpoint'
const NAME = CHECKPOINT_HEADER.toLowerCase()

/** Returns true if a write requests a checkpoint; reads cannot. @throws Refusal `invalid`, naming header and rule */
export const asksForCheckpoint = (incoming: Incoming): boolean => {
  const value = incoming.method === 'GET' ? undefined : incoming.header(NAME)
  if (value === undefined || value === 'true') return value === 'true'
  throw invalid(`Bad request: ${CHECKPOINT_HEADER} must be "true", or left out`)
}

/** Returns the header with a checkpoint of everything durable, in Base64; empty if it cannot be created, since the write is complete. */
export const checkpointHeader = async ({ opened }: LogEvidence): Promise<readonly string[]> => {
  const checkpoint = await opened?.checkpoints.covering(opened.log.durableIndex)
  return checkpoint ? [CHECKPOINT_HEADER, Buffer.from(checkpoint.text).toString('base64')] : []
}
