import type { Schemas } from '../../../../typescript/typed/index.js'
import { bindingRuleDefinition } from '../../../../../events/binding-rule.js'
import { Field, fieldOf, FurtherFields, furtherTexts, Select } from '../../../design/index.js'
import { useLocation } from 'preact-iso'
import { useResponse, useDraft } from '../../../session/use-response.js'
import { Form, type ResourceFormProps, type BindingRule } from './form.js'

const KNOWN = ['AuthMethod', 'Description', 'Selector', 'BindName']
const TYPES = [
  ['service', 'the identity of a service'],
  ['role', 'a role'],
  ['node', 'the identity of a node']
] as const

/** The address may contain the method of a new rule. */
export const BindingRuleForm = ({ target, stored, done }: ResourceFormProps<BindingRule>) => {
  const { method = '' } = useLocation().query
  const {
    AuthMethod = method,
    Description = '',
    Selector = '',
    BindType = 'service',
    BindName = '',
    ModifyIndex = 0
  } = stored ?? {}
  const further = furtherTexts(bindingRuleDefinition, KNOWN, stored)
  const bindType: string = BindType
  const draft = useDraft(
    { AuthMethod, Description, Selector, BindType: bindType, BindName, further },
    ModifyIndex
  )
  const body = () => {
    const { further: others, ...fields } = draft.value
    return { ...fields, ...others }
  }
  const { value: methods = [] } = useResponse<readonly Schemas['AuthMethodEntry'][]>(
    stored ? undefined : '/v1/acl/auth-methods',
    target.place
  )
  return (
    <Form hasImpact label="Binding rule" target={target} draft={draft} body={body} done={done}>
      {!stored && (
        <Field
          label="Auth method"
          required
          options={methods.map(({ Name }) => Name)}
          {...fieldOf(draft, 'AuthMethod')}
          name="AuthMethod|auth method"
        />
      )}
      <Field
        label="Selector"
        placeholder="everybody"
        hint={'Such as "admins" in list.groups'}
        {...fieldOf(draft, 'Selector')}
      />
      <div class="columns">
        <Select label="Grants" options={TYPES} {...fieldOf(draft, 'BindType')} />
        <Field
          label="Name"
          required
          hint={'May hold claims, such as team-${value.team}'}
          {...fieldOf(draft, 'BindName')}
        />
      </div>
      <Field label="Description" {...fieldOf(draft, 'Description')} />
      <FurtherFields definition={bindingRuleDefinition} {...fieldOf(draft, 'further')} />
    </Form>
  )
}
