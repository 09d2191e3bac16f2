import type { Schemas } from '../../../typescript/typed/index.js'
import { Button, ReasonInput, Refusal, TextDiff, ActionForm, SubmitButton } from '../../design/index.js'
import { asOfIndex } from '../../time-travel/as-of-state.js'
import { READ_ONLY } from '../../time-travel/read-only.js'
import { useAction } from '../../session/use-response.js'
import { isDeletion, type Version, readable } from '../../resources/kind.js'
import { type Write, sendJson } from '../send.js'
import type { Query } from '../../../typescript/connection.js'

type Plan = Schemas['Reverted']

/** Topics whose resources cannot be restored. */
const FINAL: ReadonlySet<unknown> = new Set(['ACLPolicyProposal', 'Session'])

interface Props {
  readonly named: Query
  readonly to: Version
  readonly current: Version
  readonly label: string
}

const Restoring = ({ named, to, current, label }: Props) => {
  const { result: plan, failure, run } = useAction<Plan>([to.Index, current.Index])
  const isPast = asOfIndex.value !== undefined
  const put = (more: Query, options: Pick<Write, 'reason' | 'signal'>) =>
    sendJson<Plan>('PUT', '/v1/event/revert', { query: { ...named, to: to.Index, ...more }, ...options })
  const preview = (): void => run(signal => put({ 'dry-run': true }, { signal }))
  return (
    <div class="revert">
      <Button label={label} act={preview} disabled={isPast} title={isPast ? READ_ONLY : undefined} />
      <Refusal text={failure} />
      {plan && (
        <div role="group" aria-label={label}>
          {plan.Patch.length === 0 ? (
            <p>This version equals the current one.</p>
          ) : (
            <TextDiff
              before={isDeletion(current) ? '' : readable(current.Payload)}
              after={readable(to.Payload)}
            />
          )}
          {plan.Others.length > 0 && (
            <p>Also changes: {plan.Others.map(({ Type, Key }) => `${Type} ${Key}`).join(', ')}</p>
          )}
          <Refusal text={plan.Refusal?.Message} />
          {plan.Patch.length > 0 && !plan.Refusal && (
            // Later changes are not part of the preview.
            <ActionForm class="choices" action={reason => put({ cas: plan.Undone }, { reason })}>
              <ReasonInput />
              <SubmitButton label="Restore" class="primary" />
            </ActionForm>
          )}
        </div>
      )}
    </div>
  )
}

/** Restores a version after a preview. */
export const Restore = (props: Props) => (FINAL.has(props.named['topic']) ? null : <Restoring {...props} />)
