// Bodies of auth methods, binding rules, login and the OIDC flow (spec: auth.md §1, §5, §8, §10; api.md).
import * as Type from 'typebox'
import { shownTenancy } from './shown.js'
import { integer, strict, tenancyFields, text } from './strict.js'

const indexes = {
  CreateIndex: integer('Set by the service'),
  ModifyIndex: integer('Set by the service')
}

const namespaceRule = strict({
  Selector: text('Whom the rule is for; empty for everybody'),
  BindNamespace: text('Namespace of the token, or a template of it')
})

export const authMethodBody = strict({
  Name: text('Letters, digits, - and _, at most 128'),
  Type: text('jwt, kubernetes or oidc'),
  DisplayName: text('Name for people'),
  Description: text('Free text'),
  MaxTokenTTL: Type.Optional(
    Type.Union([Type.String(), Type.Integer()], {
      description:
        'Life of the tokens: a duration such as 1h30m, or a whole number of nanoseconds; 0 for no end'
    })
  ),
  TokenLocality: text('local or global'),
  Config: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Keys by type, see auth methods' })
  ),
  NamespaceRules: Type.Optional(Type.Array(namespaceRule)),
  ...tenancyFields,
  ...indexes
})

export const bindingRuleBody = strict({
  ID: text('Set by the service'),
  Description: text('Free text'),
  AuthMethod: text('Name of the auth method'),
  Selector: text('Whom the rule is for; empty for everybody'),
  BindType: text('service, node or role'),
  BindName: text('What is bound: a name, or a template such as web-${value.team}'),
  ...tenancyFields,
  ...indexes
})

const meta = Type.Optional(
  Type.Record(Type.String(), Type.String(), { description: 'Goes into the description of the token' })
)

export const loginBody = strict({
  AuthMethod: text('Name of the auth method'),
  BearerToken: text('The credential: a JWT, or the JWT of a service account'),
  Meta: meta,
  ...tenancyFields
})

export const authUrlBody = strict({
  AuthMethod: text('Name of an auth method of type oidc'),
  RedirectURI: text('Where the provider sends the browser back to; one that the method allows'),
  ClientNonce: text('Must be given again at the callback'),
  Meta: meta,
  ...tenancyFields
})

export const callbackBody = strict({
  AuthMethod: text('Name of the auth method'),
  State: text('The state that the provider sent back'),
  Code: text('The code that the provider sent back'),
  ClientNonce: text('The one given for the URL'),
  Meta: meta,
  ...tenancyFields
})

const shown = { ...shownTenancy, CreateIndex: Type.Integer(), ModifyIndex: Type.Integer() }
const optional = (description: string) => Type.Optional(Type.String({ description }))

/** An auth method in a list. */
export const authMethodStub = Type.Object({
  MaxTokenTTL: optional('Life of the tokens'),
  Name: Type.String(),
  Type: Type.String(),
  DisplayName: optional('Name for people'),
  Description: optional('Free text'),
  TokenLocality: optional('local or global'),
  ...shown
})

/** An auth method in answers. */
export const authMethod = Type.Object({
  ...authMethodStub.properties,
  Config: Type.Object(
    {},
    { additionalProperties: true, description: 'Secrets are <hidden> without acl:write' }
  ),
  NamespaceRules: Type.Optional(
    Type.Array(Type.Object({ Selector: optional('Whom the rule is for'), BindNamespace: Type.String() }))
  )
})

/** A binding rule in answers. */
export const bindingRule = Type.Object({
  ID: Type.String(),
  Description: Type.String(),
  AuthMethod: Type.String(),
  Selector: Type.Optional(Type.String()),
  BindType: Type.String(),
  BindName: Type.String(),
  ...shown
})

export const authUrl = Type.Object({ AuthURL: Type.String() })
