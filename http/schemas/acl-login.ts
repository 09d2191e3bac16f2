// Bodies and responses of login and of the OIDC flow (spec: auth.md §8, §10; api.md).
import * as Type from 'typebox'
import { strict, tenancyFields, text, sample, view, tenancyView, textList } from './view.js'

const meta = Type.Optional(
  Type.Record(Type.String(), Type.String(), { description: 'Goes into the description of the token' })
)

export const loginBody = strict(
  {
    AuthMethod: text('Name of the auth method'),
    BearerToken: text('The credential: a JWT, or the JWT of a service account'),
    Meta: meta,
    ...tenancyFields
  },
  {
    $id: 'LoginInput',
    examples: [{ AuthMethod: 'ci', BearerToken: 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln', Meta: { job: '42' } }]
  }
)

export const authUrlBody = strict(
  {
    AuthMethod: text('Name of an auth method of type oidc'),
    RedirectURI: text('Where the provider sends the browser back to; one that the method allows'),
    ClientNonce: text('Must be given again at the callback'),
    Meta: meta,
    ...tenancyFields
  },
  {
    $id: 'AuthURLInput',
    examples: [
      { AuthMethod: 'people', RedirectURI: 'http://localhost:8550/oidc/callback', ClientNonce: 'n-7f0a24' }
    ]
  }
)

export const callbackBody = strict(
  {
    AuthMethod: text('Name of the auth method'),
    State: text('The state that the provider sent back'),
    Code: text('The code that the provider sent back'),
    ClientNonce: text('The one given for the URL'),
    Meta: meta,
    ...tenancyFields
  },
  {
    $id: 'CallbackInput',
    examples: [{ AuthMethod: 'people', State: 's-14fae9', Code: 'c-0d2ff1', ClientNonce: 'n-7f0a24' }]
  }
)

export const authUrl = view('AuthURL', {
  AuthURL: sample.text('https://login.example/authorize?client_id=annals&state=s-14fae9')
})

export const signInCodeBody = strict(
  { Code: text('The code of `POST /v1/acl/sign-in-code`') },
  { $id: 'SignInInput', examples: [{ Code: '7d3f0a24' }] }
)

export const signInCode = view('SignInCode', {
  Code: sample.text('7d3f0a24'),
  ExpiresInSeconds: sample.integer(60)
})

export const signInToken = view('SignInToken', {
  SecretID: sample.text('049c4b06-7bff-40f3-a631-0d2ff1b0e0a4')
})

// A dry run of a login: the roles and identities that claims would get.

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
