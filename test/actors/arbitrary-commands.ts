// Random commands on the ACL aggregates, whose IDs and names meet often.
import fc from 'fast-check'
import type { PolicyCommand } from '../../actors/policy.js'
import type { TokenCommand } from '../../actors/token.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import { MANAGEMENT_POLICY_ID } from '../../events/policy.js'
import { ANONYMOUS_ACCESSOR } from '../../events/token.js'
import { tokenInput, id, policyInput } from './acl-resources.js'

type Parts<C> = C extends { readonly name: infer Name; readonly data: infer Data }
  ? { readonly name: Name; readonly data: Data }
  : never

/** A command of these tests without its caller and time. */
export type ArbitraryCommand =
  ({ readonly kind: 'token' } & Parts<TokenCommand>) | ({ readonly kind: 'policy' } & Parts<PolicyCommand>)

const accessor = fc.oneof(
  { weight: 8, arbitrary: fc.nat(5).map(n => id(100 + n)) },
  { weight: 1, arbitrary: fc.constant(ANONYMOUS_ACCESSOR) },
  { weight: 1, arbitrary: fc.constant('no uuid') }
)
const policyId = fc.oneof(
  { weight: 8, arbitrary: fc.nat(4).map(n => id(200 + n)) },
  { weight: 1, arbitrary: fc.constant(MANAGEMENT_POLICY_ID) }
)
const policyName = fc.constantFrom('web', 'WEB', 'batch', 'ops', 'x y', '')
const rules = fc.constantFrom(
  '',
  'acl = "read"',
  'acl = "deny"',
  'service "web" { policy = "write" }',
  'service_prefix "" { policy = "read" intentions = "deny" }',
  'key_prefix "a/" { policy = "list" } node "n" { policy = "write" }',
  'broken {'
)
const link = fc.oneof(
  policyId.map(ID => ({ ID })),
  policyName.map(Name => ({ Name }))
)
const service = fc.record({
  ServiceName: fc.constantFrom('web', 'api'),
  Datacenters: fc.constantFrom([], ['dc1'], ['dc2'])
})
const node = fc.record({ NodeName: fc.constantFrom('n', 'm'), Datacenter: fc.constantFrom('dc1', 'dc2') })
const anyToken = fc
  .record({
    Description: fc.constantFrom('', 'a', 'ü"\n'),
    Policies: fc.array(link, { maxLength: 3 }),
    ServiceIdentities: fc.array(service, { maxLength: 2 }),
    NodeIdentities: fc.array(node, { maxLength: 2 }),
    Local: fc.boolean(),
    ExpirationTTL: fc.constantFrom(0, 0, 60e9, 120e9)
  })
  .map(tokenInput)
const anyPolicy = fc
  .record({
    Name: policyName,
    Description: fc.constantFrom('', 'd'),
    Rules: rules,
    Datacenters: fc.constantFrom(undefined, [], ['dc1'], ['dc2'])
  })
  .map(policyInput)

/** New IDs are drawn from the accessors that the other commands name, so that creations sometimes meet what exists. */
export const arbitraryCommand: fc.Arbitrary<ArbitraryCommand> = fc.oneof(
  fc.tuple(anyToken, accessor).map(([said, newAccessor]): ArbitraryCommand => ({
    kind: 'token',
    name: 'CreateToken',
    data: { ...said, AccessorID: newAccessor, newAccessor, newSecret: newAccessor }
  })),
  fc.tuple(anyToken, accessor).map(([said, of]): ArbitraryCommand => ({
    kind: 'token',
    name: 'UpdateToken',
    data: { ...said, accessor: of }
  })),
  accessor.map((of): ArbitraryCommand => ({ kind: 'token', name: 'DeleteToken', data: { accessor: of } })),
  fc
    .array(accessor, { maxLength: 4 })
    .map((accessors): ArbitraryCommand => ({ kind: 'token', name: 'ExpireTokens', data: { accessors } })),
  fc.tuple(anyPolicy, policyId).map(([said, newId]): ArbitraryCommand => ({
    kind: 'policy',
    name: 'CreatePolicy',
    data: { ...said, newId }
  })),
  fc.tuple(anyPolicy, policyId).map(([said, of]): ArbitraryCommand => ({
    kind: 'policy',
    name: 'UpdatePolicy',
    data: { ...said, id: of }
  })),
  policyId.map((of): ArbitraryCommand => ({ kind: 'policy', name: 'DeletePolicy', data: { id: of } }))
)

/** Up to 60 commands, each some seconds after the one before. */
export const commandSequences = fc.array(fc.record({ asked: arbitraryCommand, after: fc.nat(40_000) }), {
  maxLength: 60
})

export const caller = { accessor: id(100), address: '127.0.0.1', requestId: 'r' }
export const common = { tenancy: DEFAULT_TENANCY, caller }
