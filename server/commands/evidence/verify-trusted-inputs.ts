import { identityOf } from '../../../events/log/evidence/signed-checkpoint.js'
import { MalformedNote } from '../../../events/log/evidence/note-keys.js'
import { ProofFailed, type TrustedRoot } from '../../../events/log/evidence/proofs.js'
import type { RecomputedTree } from '../../../events/log/evidence/recomputed-tree.js'
import type { LogIdentity } from '../../../events/log/segments/format.js'
import { checkpointIn, signersOf, type TrustedInputs, type TrustedCheckpoint } from './trusted-inputs.js'
import type { StoredCheckpoint } from './tree-files.js'

const NO_TRUSTED_INPUT_NOTE = 'no trusted input was given: a rewrite of the whole log cannot be ruled out'

export const trustedRootOf = ({ head, source }: TrustedCheckpoint): TrustedRoot => ({
  kind: 'tree',
  index: head.size,
  hash: head.root,
  source
})

/** @throws MalformedNote naming a file with an invalid or missing signature */
function proveSignatures(beside: readonly StoredCheckpoint[], { keys }: TrustedInputs): readonly string[] {
  if (!keys.log || beside.length === 0) return []
  for (const { place, note } of beside) checkpointIn(place, note, { log: keys.log })
  return [`the signatures hold: all ${beside.length} checkpoints beside the log are signed by its key`]
}

/** Returns the newest checkpoint in the folder that all of the keys have signed. @throws MalformedNote if there is none */
function signedBeside(beside: readonly StoredCheckpoint[], { keys }: TrustedInputs): TrustedCheckpoint {
  let reason = 'there are none'
  for (const { place, note } of beside.toReversed())
    try {
      return checkpointIn(place, note, keys)
    } catch (error) {
      if (!(error instanceof MalformedNote)) throw error
      reason = error.message
    }
  throw new MalformedNote(
    `no checkpoint beside the log has all the signatures that were asked for: ${reason}`
  )
}

/** @throws Unproved for a checkpoint of another log */
function checkLog({ head, source }: TrustedCheckpoint, { id, incarnation }: LogIdentity): string {
  const log = identityOf(head.origin)
  if (log?.id !== id) throw new ProofFailed(`${source} is of ${head.origin}, and this is log ${id}`)
  return log.incarnation === incarnation
    ? ''
    : ` (of incarnation ${log.incarnation}, as which the log went on then)`
}

interface VerifiedTree {
  readonly identity: LogIdentity
  /** Undefined if the hashes of some commits are unknown. */
  readonly tree: RecomputedTree | undefined
  readonly beside: readonly StoredCheckpoint[]
}

/** Compares a log with the trusted inputs. @returns lines to print @throws Unproved MalformedNote */
export async function verifyTrustedInputs(
  { identity, tree, beside }: VerifiedTree,
  outside: TrustedInputs
): Promise<readonly string[]> {
  const { keys, checkpoints, pinned } = outside
  const hasWitnesses = (keys.witnesses?.length ?? 0) > 0
  const isKnownByKeys = checkpoints.length === 0 && (keys.log !== undefined || hasWitnesses)
  const lines: string[] = [...proveSignatures(beside, outside)]
  const used = isKnownByKeys ? [signedBeside(beside, outside)] : checkpoints
  if (used.length + pinned.length === 0) return [NO_TRUSTED_INPUT_NOTE]
  if (!tree)
    throw new ProofFailed(
      'nothing can be compared: commits were pruned before the hashes of all of them were stored'
    )
  for (const checkpoint of used) {
    const incarnation = checkLog(checkpoint, identity)
    await tree.check(trustedRootOf(checkpoint))
    lines.push(
      `commits 1 to ${checkpoint.head.size} are those of ${checkpoint.source}${incarnation}, ${signersOf(checkpoint)}: none was changed, cut out or moved, and none put in`
    )
  }
  for (const pin of pinned) {
    await tree.check(pin)
    lines.push(`commit ${pin.index} has the pinned hash, which covers all commits before it`)
  }
  if (isKnownByKeys && !hasWitnesses && pinned.length === 0)
    lines.push('no other trusted input was given: a rewrite with the signing key cannot be ruled out')
  const proved = Math.max(...used.map(({ head }) => head.size), ...pinned.map(({ index }) => index))
  if (proved < tree.size) lines.push(`no trusted input covers commits ${proved + 1} to ${tree.size}`)
  return lines
}
