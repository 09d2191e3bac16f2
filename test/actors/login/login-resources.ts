// Auth methods, binding rules and identities, for the tests of decisions.
import { generateKeyPairSync } from 'node:crypto'
import { authMethodUpserted } from '../../../actors/auth-method/auth-method.js'
import type { AuthMethod } from '../../../events/auth-method.js'
import { type BindingRule, bindingRuleEvents } from '../../../events/binding-rule.js'
import { DEFAULT_TENANCY, type Event } from '../../../events/envelope.js'
import type { Identity } from '../../../projections/acl/binding-rules.js'
import { id } from '../acl-resources.js'

/** An RSA public key in PEM. */
export const PUBLIC_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString()

export const authMethodFixture = (name: string, parts: Partial<AuthMethod> = {}): Event =>
  authMethodUpserted(DEFAULT_TENANCY, {
    Name: name,
    Type: 'jwt',
    DisplayName: '',
    Description: '',
    MaxTokenTTL: 0,
    TokenLocality: '',
    Config: { JWTValidationPubKeys: [PUBLIC_KEY], ClaimMappings: { team: 'team' } },
    NamespaceRules: [],
    CreateIndex: 1,
    ModifyIndex: 1,
    ...parts
  })

export const bindingRuleFixture = (n: number, parts: Partial<BindingRule> = {}): Event =>
  bindingRuleEvents.create('ACLBindingRuleUpserted', DEFAULT_TENANCY, {
    ID: id(n),
    Description: '',
    AuthMethod: 'm',
    Selector: '',
    BindType: 'service',
    BindName: 'web',
    CreateIndex: 1,
    ModifyIndex: 1,
    ...parts
  })

/** Somebody of this team. */
export const identityOfTeam = (team: string): Identity => ({
  selectable: { value: { team }, list: {} },
  variables: new Map([['value.team', team.toLowerCase()]])
})
