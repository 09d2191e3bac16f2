import { refuseRefused, type Outcome } from './change-plan.js'
import { RequestRefused } from '../../typescript/failures.js'
import { Failed } from '../console.js'
import type { Run } from '../remote/command.js'
import { safe } from '../remote/output.js'
import { outcomeText } from './plan-text.js'

/** Reverts a change set: in one commit, or above the limit of a commit one commit after another, the newest first. @throws Failed, RequestRefused */
export const revertChangeSet = async (
  { send, out }: Pick<Run, 'send' | 'out'>,
  id: string,
  isDryRun: boolean
): Promise<void> => {
  const path = `/v1/changes/${encodeURIComponent(id)}/revert`
  const outcome = await (await send('POST', path, { query: { 'dry-run': true } })).json<Outcome>()
  const { Changes, Limit, Reverts = [] } = outcome
  if (out.isData) out.data(outcome)
  else out.print(outcomeText(outcome))
  refuseRefused(outcome)
  if (isDryRun) return
  const changed = Changes.filter(({ Action }) => Action !== 'none').length
  const parts = changed > Limit ? Reverts.toReversed() : [undefined]
  for (const [at, commit] of parts.entries())
    try {
      const { Index } = await (await send('POST', path, { query: { commit } })).json<Outcome>()
      out.note(safe(`Commit ${Index ?? 'none'} reverts ${commit ?? Reverts.join(', ')}`))
    } catch (error) {
      if (at === 0 || !(error instanceof RequestRefused)) throw error
      throw new Failed(`commit ${commit} was not reverted, and those after it are: ${error.message}`)
    }
  out.note(safe(`Success! Change set ${id} is reverted`))
}
