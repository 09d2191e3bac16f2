import type { Schemas } from '../../../typescript/typed/index.js'
import {
  Button,
  Denial,
  ReasonInput,
  Refusal,
  TextDiff,
  ActionForm,
  SubmitButton
} from '../../design/index.js'
import { useContext } from 'preact/hooks'
import { useAction } from '../../session/use-response.js'
import { readableVersion, type Version } from '../../resources/kind.js'
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
  /** The page shows the content of the version, so the preview omits it. */
  readonly isShown?: boolean
}

const Restoring = ({ named, to, current, label, isShown = false }: Props) => {
  const { result: plan, failure, run } = useAction<Plan>([to.Index, current.Index])
  const denial = useContext(Denial)
  const put = (more: Query, options: Pick<Write, 'reason' | 'signal'>) =>
    sendJson<Plan>('PUT', '/v1/event/revert', { query: { ...named, to: to.Index, ...more }, ...options })
  const preview = (): void => run(signal => put({ 'dry-run': true }, { signal }))
  return (
    <div>
      <Button label={label} act={preview} disabled={denial !== undefined} />
      <Refusal text={failure} />
      {plan && (
        <div role="group" aria-label={label}>
          {plan.Patch.length === 0 && <p>This version equals the current one.</p>}
          {plan.Patch.length > 0 && !isShown && (
            <TextDiff before={readableVersion(current)} after={readableVersion(to)} />
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
