// A dry run of a login: the roles and identities that claims would get.
import * as Type from 'typebox'
import { tenancyView, textList, strict, tenancyFields, text, sample, view } from './view.js'

export const bindingTestBody = strict(
  {
    AuthMethod: text('Name of the auth method'),
    Claims: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'The claims of a JWT, as its issuer writes them; of a method of type kubernetes namespace, name and uid of a service account'
      })
    ),
    ...tenancyFields
  },
  { $id: 'BindingRulesTestInput', examples: [{ AuthMethod: 'ci', Claims: { team: 'web' } }] }
)

const testedRule = view('TestedBindingRule', {
  ID: Type.String({ description: 'Of the binding rule' }),
  Selector: Type.String(),
  BindType: Type.String(),
  BindName: Type.String({ description: 'As the rule has it, with its variables' }),
  Selects: Type.Boolean({ description: 'Whether the rule is for who has these claims' }),
  Name: text('What it binds: BindName with the variables put in'),
  Reason: text('Why it gives nothing')
})

const TESTED_RULE = {
  ID: '0113740a-7939-40ba-8d5c-0d2ff1b0e0a4',
  Selector: 'value.team != ""',
  BindType: 'service',
  BindName: '${value.team}',
  Selects: true,
  Name: 'web'
}

const link = Type.Object({ ID: Type.String(), Name: Type.String() })
const texts = Type.Record(Type.String(), Type.String())
const selectable = Type.Object(
  {
    value: Type.Optional(texts),
    list: Type.Optional(Type.Record(Type.String(), textList)),
    serviceaccount: Type.Optional(texts)
  },
  { description: 'What selectors see' }
)
const variables = Type.Record(Type.String(), Type.String(), { description: 'What BindName can put in' })
const nodeIdentity = Type.Object({ NodeName: Type.String(), Datacenter: Type.String() })

/** The result of a login with these claims. */
export const bindingTest = view('BindingRulesTest', {
  AuthMethod: sample.text('ci'),
  ...tenancyView,
  Allowed: sample.flag(true, 'Whether the login would get a token'),
  Reason: text('Why it would be denied'),
  Selectable: sample.of({ value: { team: 'web' }, list: {} }, Type.Optional(selectable)),
  Variables: sample.of({ 'value.team': 'web' }, variables),
  Rules: sample.of([TESTED_RULE], Type.Array(testedRule, { description: 'Every rule of the method' })),
  Roles: sample.of([], Type.Array(link)),
  ServiceIdentities: sample.of(
    [{ ServiceName: 'web' }],
    Type.Array(Type.Object({ ServiceName: Type.String() }))
  ),
  NodeIdentities: sample.of([], Type.Array(nodeIdentity))
})
