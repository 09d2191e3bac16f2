import { useState } from 'preact/hooks'
import { Changes } from '../../components/changes.js'
import { ReasonInput } from '../../components/reason-input.js'
import { Refusal } from '../../components/notice.js'
import { asOfIndex } from '../../time-travel/as-of-state.js'
import { READ_ONLY } from '../../time-travel/read-only.js'
import { useAction } from '../../session/use-action.js'
import { send } from '../send.js'
import type { Change } from '../../resources/versions.js'
import type { Query } from '../../../typescript/connection.js'

/** The response to the dry run of a revert. */
interface Plan {
  /** Index of the previous change of the resource. */
  readonly Undone: number
  readonly Patch: readonly Change[]
  readonly Others: readonly { readonly Type: string; readonly Key: string }[]
  readonly Refusal?: { readonly Code: number; readonly Message: string }
}

interface Props {
  readonly named: Query
  readonly to: number
  readonly label: string
}

export const Revert = ({ named, to, label }: Props) => {
  const [plan, setPlan] = useState<Plan>()
  const { failure, run } = useAction()
  const isPast = asOfIndex.value !== undefined
  const [reason, setReason] = useState('')
  const put = (more: Query, why?: string) =>
    send('PUT', '/v1/event/revert', { query: { ...named, to, ...more }, ...(why ? { reason: why } : {}) })
  const preview = (): void => run(async () => setPlan(await (await put({ 'dry-run': true })).json<Plan>()))
  const revert = ({ Undone: cas }: Plan): void =>
    run(async () => {
      // Later changes are not part of the preview.
      await put({ cas }, reason)
      setPlan(undefined)
    })
  return (
    <div class="revert">
      <button type="button" onClick={preview} disabled={isPast} title={isPast ? READ_ONLY : undefined}>
        {label}
      </button>
      <Refusal text={failure} />
      {plan && (
        <div role="group" aria-label={`Restore version ${to}`}>
          {plan.Patch.length === 0 ? (
            <p>This version equals the current one.</p>
          ) : (
            <Changes patch={plan.Patch} />
          )}
          {plan.Others.length > 0 && (
            <p>Also changes: {plan.Others.map(({ Type, Key }) => `${Type} ${Key}`).join(', ')}</p>
          )}
          <Refusal text={plan.Refusal?.Message} />
          {plan.Patch.length > 0 && !plan.Refusal && (
            <p class="choices">
              <ReasonInput value={reason} change={setReason} />
              <button type="button" onClick={() => revert(plan)}>
                Restore
              </button>
            </p>
          )}
        </div>
      )}
    </div>
  )
}
