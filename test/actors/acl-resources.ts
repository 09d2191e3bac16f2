// Tokens, policies, roles, and what callers say of them, for the tests of decisions.
import { type PolicyContent, policyUpserted } from '../../actors/policy.js'
import { type RoleContent, roleUpserted } from '../../actors/role.js'
import { type TokenContent, tokenUpserted } from '../../actors/token.js'
import { DEFAULT_TENANCY, type Event } from '../../events/envelope.js'
import { MANAGEMENT_POLICY_ID, policyDefinition, type PolicyInput } from '../../events/policy.js'
import { ANONYMOUS_ACCESSOR, ANONYMOUS_SECRET, type TokenInput } from '../../events/token.js'
import { inputsOf } from '../../http/wire/route.js'
import { MANAGEMENT_POLICY_RULES } from '../../projections/acl/rules/builtin.js'

/** A UUID that ends in this number. */
export const id = (n: number): string => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, '0')}`
export const NEW_ACCESSOR = id(901)
export const NEW_SECRET = id(902)

export const tokenFixture = (accessor: string, secret: string, parts: Partial<TokenContent> = {}): Event =>
  tokenUpserted(DEFAULT_TENANCY, secret, {
    AccessorID: accessor,
    Description: '',
    Policies: [],
    Roles: [],
    ServiceIdentities: [],
    NodeIdentities: [],
    Local: false,
    AuthMethod: '',
    CreateTime: '2025-12-31T00:00:00Z',
    CreateIndex: 1,
    ModifyIndex: 1,
    ...parts
  })

export const policyFixture = (policyId: string, name: string, parts: Partial<PolicyContent> = {}): Event =>
  policyUpserted(DEFAULT_TENANCY, {
    ID: policyId,
    Name: name,
    Description: '',
    Rules: '',
    Datacenters: [],
    CreateIndex: 1,
    ModifyIndex: 1,
    ...parts
  })

const policyInputOf = inputsOf(policyDefinition)
/** What a caller says of a policy who says nothing but `parts`. */
export const policyInput = (parts: Partial<PolicyInput>): PolicyInput => ({ ...policyInputOf({}), ...parts })

export const builtinPolicy = (): Event =>
  policyFixture(MANAGEMENT_POLICY_ID, 'global-management', { Rules: MANAGEMENT_POLICY_RULES })
export const anonymousToken = (): Event => tokenFixture(ANONYMOUS_ACCESSOR, ANONYMOUS_SECRET)

/** What a caller says of a token who says nothing but `parts`. */
export const tokenInput = (parts: Partial<TokenInput> = {}): TokenInput => ({
  AccessorID: '',
  Specification: '',
  SecretID: '',
  Description: '',
  Policies: [],
  Roles: [],
  ServiceIdentities: [],
  NodeIdentities: [],
  Rules: '',
  Local: false,
  AuthMethod: '',
  ExpirationTime: undefined,
  ExpirationTTL: 0,
  ...parts
})

export const roleFixture = (roleId: string, name: string, parts: Partial<RoleContent> = {}): Event =>
  roleUpserted(DEFAULT_TENANCY, {
    ID: roleId,
    Name: name,
    Description: '',
    Policies: [],
    ServiceIdentities: [],
    NodeIdentities: [],
    CreateIndex: 1,
    ModifyIndex: 1,
    ...parts
  })
