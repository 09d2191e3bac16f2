import { bindingRuleDefinition } from '../../../events/binding-rule.js'
import { text } from '../remote/flags.js'
import { textInput } from '../resources/field-inputs.js'
import { byId } from '../resources/naming.js'
import { resourceGroup } from '../resources/resource-commands.js'
import { impactCommand } from './impact.js'

export const bindingRuleGroup = resourceGroup({
  definition: bindingRuleDefinition,
  command: 'binding-rule',
  noun: 'binding rule',
  summary: 'Create, show, update and delete binding rules, which grant permissions to logins.',
  sample: '0113740a',
  path: '/v1/acl/binding-rule',
  list: '/v1/acl/binding-rules',
  naming: byId({
    noun: 'binding rule',
    list: '/v1/acl/binding-rules',
    idField: 'ID',
    flag: 'id',
    argument: 'which',
    word: 'ID'
  }),
  inputs: {
    AuthMethod: textInput('method', 'name', 'its auth method', { update: 'kept' }),
    Selector: textInput(
      'selector',
      'selector',
      'logins to which it applies, such as value.team == "web"; all by default'
    )
  },
  columns: ['ID', 'AuthMethod', 'BindType', 'BindName', 'Selector'],
  details: ['ID', 'Namespace', 'Description', 'AuthMethod', 'BindType', 'BindName', 'Selector'],
  filters: { authmethod: ['method', text('name', 'only rules of this auth method')] },
  texts: {
    create: {
      examples: [
        "annals binding-rule create -method ci -bind-type service -bind-name '${value.team}'",
        'annals binding-rule create -method ci -bind-type role -bind-name deploy -selector \'value.branch == "main"\''
      ]
    },
    update: {
      examples: ['annals binding-rule update -id 0113740a -bind-name deploy-2']
    },
    delete: { summary: 'Delete a binding rule. Tokens of earlier logins keep their permissions.' },
    list: { examples: ['annals binding-rule list', 'annals binding-rule list -method ci'] }
  },
  more: { impact: impactCommand('binding-rule') }
})
