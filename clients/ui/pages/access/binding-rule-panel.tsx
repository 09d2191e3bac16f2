// What the page of a binding rule has besides: its form, and what claims would get by all rules of its method.
import { Refusal } from '../../components/notice.js'
import { announce } from '../../components/status-announcer.js'
import { tenancyQueryOf } from '../../session/tenancy.js'
import { useResponse } from '../../session/use-response.js'
import type { PanelProps } from '../resource/panel-props.js'
import { BindingTest } from './binding-test.js'
import { BindingRuleForm } from './forms/binding-rule-form.js'
import { DeleteButton } from './forms/delete-button.js'
import type { BindingRule } from './forms/acl-resources.js'

export const BindingRulePanel = ({ named, turn }: PanelProps) => {
  const id = String(named['key'])
  const place = tenancyQueryOf(named)
  const path = '/v1/acl/binding-rule'
  const { value: rule, failure } = useResponse<BindingRule>(`${path}/${id}`, place, turn)
  return (
    <>
      <section aria-label="Edit">
        <h2>Edit</h2>
        <Refusal text={failure} />
        {rule && <BindingRuleForm rule={rule} place={place} done={() => announce('Saved.')} />}
      </section>
      {rule && (
        <>
          <BindingTest method={rule.AuthMethod} place={place} />
          <DeleteButton
            target={{ path, id, place }}
            what="binding rule"
            name={rule.Description || rule.Selector || id}
            consequence="Logins get nothing by it from then on. Tokens that were made stay as they are."
            back="/ui/binding-rules"
          />
        </>
      )}
    </>
  )
}
