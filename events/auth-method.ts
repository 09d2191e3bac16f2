import { resourceEvents, type EventOf } from './envelope.js'
import {
  indexes,
  tenancy,
  writable,
  defineResource,
  choiceType,
  durationType,
  jsonObjectType,
  listType,
  objectType,
  textType
} from './definition/fields.js'
import type { Input, Stored } from './definition/types.js'

export const AUTH_METHOD_TYPES = ['jwt', 'kubernetes', 'oidc'] as const
export type AuthMethodType = (typeof AUTH_METHOD_TYPES)[number]

export const LOCALITIES = ['', 'local', 'global'] as const

/** Values keep the JSON types of the request. */
export type AuthMethodConfigInput = Readonly<Record<string, unknown>>

/** Selects the namespace of a new token: the first rule with a matching selector applies (tenancy.md §11). */
const namespaceRule = objectType({
  Selector: writable(textType, 'Whom the rule is for; empty for everybody'),
  BindNamespace: writable(textType, 'Namespace of the token, or a template of it')
})
export type NamespaceRule = Stored<typeof namespaceRule.fields>

const EXAMPLE_KEY = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaF9gkkVZRsyecPi0Q8lUWwgfAn+q
5TCKFBPaFTRasq7kH+YgbRj+raKhSPsDl2wIndMnCpGRhXo/Nwi+nbw/Nw==
-----END PUBLIC KEY-----
`

/** Spec: auth.md §1.2. */
export const authMethodDefinition = defineResource({
  name: 'AuthMethod',
  example: {
    given: {
      Name: 'ci',
      Type: 'jwt',
      Description: 'Jobs of the CI',
      MaxTokenTTL: '1h0m0s',
      Config: {
        JWTValidationPubKeys: [EXAMPLE_KEY],
        BoundIssuer: 'https://ci.example',
        ClaimMappings: { team: 'team' }
      }
    },
    made: { CreateIndex: 45, ModifyIndex: 45 }
  },
  fields: {
    Name: writable(
      textType,
      'Letters, digits, - and _, at most 128; unique in its namespace whatever the letter case'
    ),
    Type: writable(choiceType(...AUTH_METHOD_TYPES), 'jwt, kubernetes or oidc'),
    DisplayName: writable(textType, 'Name for people', { shown: 'filled' }),
    Description: writable(textType, 'Free text', { shown: 'filled' }),
    MaxTokenTTL: writable(
      durationType,
      'Longest life of its tokens: a duration such as 1h30m, or a whole number of nanoseconds; 0 for no end',
      { shown: 'filled' }
    ),
    TokenLocality: writable(choiceType(...LOCALITIES), 'local or global', { shown: 'filled' }),
    ...tenancy,
    Config: writable(jsonObjectType, 'Keys by type; secrets are <hidden> without acl:write', {
      listed: 'never',
      filterable: false
    }),
    NamespaceRules: writable(
      listType(namespaceRule),
      'Where its tokens are made, if not in its own namespace',
      {
        shown: 'filled',
        listed: 'never'
      }
    ),
    ...indexes
  }
})

/** Events hold `redacted` in place of the secrets of Config, which are stored in `Secrets`. */
export type AuthMethod = Stored<typeof authMethodDefinition.fields>
export type AuthMethodInput = Input<typeof authMethodDefinition.fields>

/** Keys of Config that are secrets. */
export const CONFIG_SECRETS = ['OIDCClientSecret', 'ServiceAccountJWT'] as const

const REDACTED = 'redacted'

export const secretsOf = ({ Config }: AuthMethod): Readonly<Record<string, string>> => {
  const secrets: Record<string, string> = {}
  for (const key of CONFIG_SECRETS) if (typeof Config[key] === 'string') secrets[key] = Config[key]
  return secrets
}

/** Returns the method as it is stored in events. */
const redacted = (method: AuthMethod): AuthMethod => {
  const secrets = Object.keys(secretsOf(method)).map(key => [key, REDACTED])
  return { ...method, Config: { ...method.Config, ...Object.fromEntries(secrets) } }
}

export const AUTH_METHOD_TOPIC = 'ACLAuthMethod'
export const authMethodEvents = resourceEvents({
  topic: AUTH_METHOD_TOPIC,
  types: ['ACLAuthMethodUpserted', 'ACLAuthMethodDeleted'],
  payloadOf: (method: AuthMethod) => ({ AuthMethod: redacted(method) }),
  keyOf: payload => payload.AuthMethod.Name,
  filterKeysOf: payload => [payload.AuthMethod.Type]
})
export type AuthMethodEvent = EventOf<typeof authMethodEvents>
export const isAuthMethodEvent = authMethodEvents.is
