// What the page of a policy has besides: its form, and who uses it.
import { Refusal } from '../../components/notice.js'
import { announce } from '../../components/status-announcer.js'
import { tenancyQueryOf } from '../../session/tenancy.js'
import { useResponse } from '../../session/use-response.js'
import type { PanelProps } from '../resource/panel-props.js'
import { DeleteButton } from './forms/delete-button.js'
import { PolicyForm } from './forms/policy-form.js'
import type { Policy } from './forms/acl-resources.js'
import { UsedBy } from './forms/used-by.js'

export const PolicyPanel = ({ named, turn }: PanelProps) => {
  const id = String(named['key'])
  const place = tenancyQueryOf(named)
  const path = '/v1/acl/policy'
  const { value: policy, failure } = useResponse<Policy>(`${path}/${id}`, place, turn)
  return (
    <>
      <section aria-label="Edit">
        <h2>Edit</h2>
        <Refusal text={failure} />
        {policy && <PolicyForm policy={policy} place={place} done={() => announce('Saved.')} />}
      </section>
      <UsedBy kind="policy" id={id} place={place} />
      {policy && (
        <DeleteButton
          target={{ path, id, place }}
          what="policy"
          name={policy.Name}
          consequence="Tokens and roles that link it lose what it gives."
          back="/ui/policies"
        />
      )}
    </>
  )
}
