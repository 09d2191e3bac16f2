import type { Schemas } from '../../../../typescript/typed/index.js'
import { bindingRuleDefinition } from '../../../../../events/binding-rule.js'
import { useLocation } from 'preact-iso'
import { useResponse } from '../../../session/use-response.js'
import { type ResourceFormProps, type BindingRule } from './form.js'
import { FieldsForm } from './fields-form.js'

const TYPES = [
  ['service', 'the identity of a service'],
  ['role', 'a role'],
  ['node', 'the identity of a node']
] as const

/** The address may contain the method of a new rule. */
export const BindingRuleForm = (props: ResourceFormProps<BindingRule>) => {
  const { method = '' } = useLocation().query
  const { target, stored } = props
  const { value: methods = [] } = useResponse<readonly Schemas['AuthMethodEntry'][]>(
    stored ? undefined : '/v1/acl/auth-methods',
    target.place
  )
  return (
    <FieldsForm
      {...props}
      hasImpact
      label="Binding rule"
      definition={bindingRuleDefinition}
      inputs={[
        {
          AuthMethod: {
            label: 'Auth method',
            name: 'AuthMethod|auth method',
            required: true,
            options: methods.map(({ Name }) => Name),
            initial: method,
            isHidden: stored !== undefined
          }
        },
        { Selector: { placeholder: 'everybody', hint: 'Such as "admins" in list.groups' } },
        {
          BindType: { label: 'Grants', options: TYPES, initial: 'service' },
          BindName: { label: 'Name', required: true, hint: 'May hold claims, such as team-${value.team}' }
        },
        { Description: {} }
      ]}
    />
  )
}
