// Which trees requests ask about: numbers of commits, which are sizes of trees and indexes alike.
import { invalid, Refusal } from '../../../actors/refusal.js'
import type { SignedCheckpoint } from '../../../actors/processes/checkpoints.js'
import type { OpenEvidence } from '../../wire/log-evidence.js'
import { integer } from '../../stream/parameter-values.js'
import type { RequestContext } from '../../wire/request-context.js'

/** So many commits that are not in the tree yet are waited for. */
const MOST_AWAITED = 10_000

/** @throws Refusal `invalid` that names the parameter; undefined when it is absent */
export const countIn = ({ query }: RequestContext, name: string): number | undefined => {
  const text = query.get(name)
  if (text === undefined) return undefined
  const count = integer(text, name)
  if (count === 0) throw invalid(`Invalid ${name}: it counts from 1, and 0 was given`)
  return count
}

/** @throws Refusal `invalid` when the parameter is absent, too */
export const requiredCount = (request: RequestContext, name: string, what: string): number => {
  const count = countIn(request, name)
  if (count === undefined) throw invalid(`Invalid ${name}: it is missing, and tells ${what}`)
  return count
}

/** The newest checkpoint that is fit to be shown. @throws Refusal `unavailable` when there is none yet */
export const newestOf = async ({ log, checkpoints }: OpenEvidence): Promise<SignedCheckpoint> => {
  if (checkpoints.shown) return checkpoints.shown
  const newest = await checkpoints.covering(Math.max(log.durableIndex, 1))
  if (checkpoints.shown) return checkpoints.shown
  throw new Refusal(
    'unavailable',
    newest
      ? 'No checkpoint has the signatures of its witnesses yet: the log of the server says which are missing'
      : 'No checkpoint could be made: the log of the server says why'
  )
}

/**
 * Waits until the tree has so many commits.
 * @throws Refusal `missing` when the log has fewer, `unavailable` while the tree is far behind
 */
export const reach = async ({ log, tree }: OpenEvidence, count: number, name: string): Promise<void> => {
  const { durableIndex } = log
  if (count > durableIndex)
    throw new Refusal('missing', `Not found: ${name} is ${count}, and the log has ${durableIndex} commits`)
  if (count <= tree.size) return
  if (tree.behind > MOST_AWAITED)
    throw new Refusal(
      'unavailable',
      `The tree has ${tree.size} of ${durableIndex} commits as yet, and ${name} is ${count}: try again`
    )
  await tree.catchUp()
}

/** The size that a request asks for: that of the newest checkpoint unless it says another. @throws Refusal */
export const sizeIn = async (
  request: RequestContext,
  evidence: OpenEvidence,
  name: string
): Promise<number> => {
  const given = countIn(request, name)
  if (given === undefined) return (await newestOf(evidence)).size
  await reach(evidence, given, name)
  return given
}
