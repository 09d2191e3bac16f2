// Which roles and identities claims would get: what is asked, and the answer.
import * as Type from 'typebox'
import { tenancyView, textList } from './shared-views.js'
import { strict, tenancyFields, text } from './strict.js'

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

const testedRule = Type.Object(
  {
    ID: Type.String({ description: 'Of the binding rule' }),
    Selector: Type.String(),
    BindType: Type.String(),
    BindName: Type.String({ description: 'As the rule has it, with its variables' }),
    Selects: Type.Boolean({ description: 'Whether the rule is for who has these claims' }),
    Name: text('What it binds: BindName with the variables put in'),
    Reason: text('Why it gives nothing')
  },
  { $id: 'TestedBindingRule' }
)

const link = Type.Object({ ID: Type.String(), Name: Type.String() })

/** What a login with these claims would come to. */
export const bindingTest = Type.Object(
  {
    AuthMethod: Type.String(),
    ...tenancyView,
    Allowed: Type.Boolean({ description: 'Whether the login would get a token' }),
    Reason: text('Why it would be denied'),
    Selectable: Type.Optional(
      Type.Object(
        {
          value: Type.Optional(Type.Record(Type.String(), Type.String())),
          list: Type.Optional(Type.Record(Type.String(), textList)),
          serviceaccount: Type.Optional(Type.Record(Type.String(), Type.String()))
        },
        { description: 'What selectors see' }
      )
    ),
    Variables: Type.Record(Type.String(), Type.String(), { description: 'What BindName can put in' }),
    Rules: Type.Array(testedRule, { description: 'Every rule of the method' }),
    Roles: Type.Array(link),
    ServiceIdentities: Type.Array(Type.Object({ ServiceName: Type.String() })),
    NodeIdentities: Type.Array(Type.Object({ NodeName: Type.String(), Datacenter: Type.String() }))
  },
  {
    $id: 'BindingRulesTest',
    examples: [
      {
        AuthMethod: 'ci',
        Allowed: true,
        Selectable: { value: { team: 'web' }, list: {} },
        Variables: { 'value.team': 'web' },
        Rules: [
          {
            ID: '0113740a-7939-40ba-8d5c-0d2ff1b0e0a4',
            Selector: 'value.team != ""',
            BindType: 'service',
            BindName: '${value.team}',
            Selects: true,
            Name: 'web'
          }
        ],
        Roles: [],
        ServiceIdentities: [{ ServiceName: 'web' }],
        NodeIdentities: []
      }
    ]
  }
)
