// Reverts a resource to an earlier version after a preview of the changes.
import { useState } from 'preact/hooks'
import { Changes } from '../../components/changes.js'
import { ReasonInput } from '../../components/reason-input.js'
import { Refusal } from '../../components/notice.js'
import { asOfIndex } from '../../time-travel/as-of-state.js'
import { READ_ONLY } from '../../time-travel/read-only.js'
import { client } from '../../session/session.js'
import { reasonHeaders } from '../../session/reason.js'
import { useAction } from '../../session/use-action.js'
import type { Change } from '../../resources/versions.js'
import type { Query } from '../../../typescript/connection.js'

/** The answer to a revert, or to a dry run of one. */
interface Reverted {
  /** Index of the previous change of the resource. */
  readonly Undone: number
  readonly Patch: readonly Change[]
  readonly Others: readonly { readonly Type: string; readonly Key: string }[]
  readonly Refusal?: { readonly Code: number; readonly Message: string }
}

interface Props {
  /** Identifies the resource. */
  readonly named: Query
  /** Index of the version that is to come back. */
  readonly to: number
  /** What the button says that shows what would change. */
  readonly label: string
}

export const Revert = ({ named, to, label }: Props) => {
  const [plan, setPlan] = useState<Reverted>()
  const { failure, run } = useAction()
  const isPast = asOfIndex.value !== undefined
  const [reason, setReason] = useState('')
  const ask = (more: Query, headers: Readonly<Record<string, string>>): Promise<Reverted> =>
    client.value.connection
      .request('PUT', '/v1/event/revert', { query: { ...named, to, ...more }, headers })
      .then(answer => answer.json<Reverted>())
  const tryIt = (): void => run(async () => setPlan(await ask({ 'dry-run': true }, {})))
  const doIt = (): void =>
    run(async () => {
      if (!plan) return
      // Only what was looked at is undone.
      await ask({ cas: plan.Undone }, reasonHeaders(reason))
      setPlan(undefined)
    })
  return (
    <div class="revert">
      <button type="button" onClick={tryIt} disabled={isPast} title={isPast ? READ_ONLY : undefined}>
        {label}
      </button>
      <Refusal text={failure} />
      {plan && (
        <div role="group" aria-label={`Revert to ${to}`}>
          {plan.Patch.length === 0 ? <p>Nothing would change.</p> : <Changes patch={plan.Patch} />}
          {plan.Others.length > 0 && (
            <p>Besides: {plan.Others.map(({ Type, Key }) => `${Type} ${Key}`).join(', ')}</p>
          )}
          <Refusal text={plan.Refusal?.Message} />
          {plan.Patch.length > 0 && !plan.Refusal && (
            <p class="choices">
              <ReasonInput value={reason} change={setReason} />
              <button type="button" onClick={doIt}>
                Revert
              </button>
            </p>
          )}
        </div>
      )}
    </div>
  )
}
