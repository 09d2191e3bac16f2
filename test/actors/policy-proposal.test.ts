import test from 'ava'
import { policyAggregate } from '../../actors/policy.js'
import { policyProposalAggregate } from '../../actors/policy-proposal.js'
import { DEFAULT_TENANCY, type Event } from '../../events/envelope.js'
import { isPolicyEvent, MANAGEMENT_POLICY_ID } from '../../events/policy.js'
import {
  policyProposalDefinition,
  policyProposalEvents,
  type PolicyProposal,
  type PolicyProposalInput
} from '../../events/policy-proposal.js'
import { formatTime } from '../../events/time.js'
import { inputsOf } from '../../http/wire/route.js'
import { COMMAND_TIME, command, given } from '../support/decision-spec.js'
import { builtinPolicy, id, policyFixture } from './acl-resources.js'

const DAY_MS = 24 * 60 * 60_000
const NARROW = 'key "a" { policy = "read" }'
const [WEB, OTHER] = [id(1), id(2)]

const web = policyFixture(WEB, 'web', { Rules: 'key_prefix "" { policy = "write" }' })
const other = policyFixture(OTHER, 'other')
const hashIn = (event: Event): string => (isPolicyEvent(event) ? event.Payload.ACLPolicy.Hash : '')

const inputOf = inputsOf(policyProposalDefinition)
const propose = (parts: Partial<PolicyProposalInput> = {}, policy = WEB, at = COMMAND_TIME) =>
  command('ProposePolicy', { ...inputOf({}), Name: 'web', Rules: NARROW, id: policy, ...parts }, { at })

const proposed = (parts: Partial<PolicyProposal> = {}): Event =>
  policyProposalEvents.create('ACLPolicyProposalUpserted', DEFAULT_TENANCY, {
    ID: WEB,
    Name: 'web',
    Description: '',
    Rules: NARROW,
    Datacenters: [],
    ExpirationTime: formatTime(COMMAND_TIME + DAY_MS),
    PolicyHash: hashIn(web),
    CreateTime: formatTime(COMMAND_TIME),
    CreateIndex: 3,
    ModifyIndex: 3,
    ...parts
  })

const promote = (cas = 3, at = COMMAND_TIME) => command('PromotePolicy', { id: WEB, cas }, { at })
const world = given(web, other, proposed())

test('a proposal is stored beside the policy, and ends in 30 days unless it names a time', t => {
  given(web)
    .when(policyProposalAggregate, propose())
    .gives(t, [
      `ACLPolicyProposalUpserted ${WEB}`,
      {
        ACLPolicyProposal: {
          Name: 'web',
          Rules: NARROW,
          PolicyHash: hashIn(web),
          CreateTime: '2026-01-01T00:00:00Z',
          ExpirationTime: '2026-01-31T00:00:00Z',
          CreateIndex: 2,
          ModifyIndex: 2
        }
      }
    ])
  given(web)
    .when(policyProposalAggregate, propose({ ExpirationTime: '2026-02-01T01:00:00+01:00' }))
    .gives(t, [
      `ACLPolicyProposalUpserted ${WEB}`,
      { ACLPolicyProposal: { ExpirationTime: '2026-02-01T00:00:00Z' } }
    ])
})

for (const ExpirationTime of ['soon', '2025-12-31T23:59:59Z', '2026-01-01T00:00:00Z', '2026-04-02T00:00:00Z'])
  test(`the end ${ExpirationTime} is refused`, t =>
    given(web)
      .when(policyProposalAggregate, propose({ ExpirationTime }))
      .refuses(
        t,
        'acl.policy.proposal-invalid',
        /ExpirationTime ".*" must be a time of RFC 3339 in the next 90/
      ))

test('a proposal obeys the rules of an update of its policy', t => {
  const asked = (parts: Partial<PolicyProposalInput>, policy?: string) =>
    given(builtinPolicy(), web, other).when(policyProposalAggregate, propose(parts, policy))
  asked({ Rules: 'key {' }).refuses(t, 'acl.policy.rules-invalid', /Rules/)
  asked({ Name: 'other' }).refuses(t, 'acl.policy.name-taken', /already exists/)
  asked({ Name: '' }).refuses(t, 'acl.policy.invalid', /no Name/)
  asked({}, id(9)).refuses(t, 'acl.policy.not-found', /cannot find policy/)
  asked({ Name: 'global-management' }, MANAGEMENT_POLICY_ID).refuses(t, 'acl.policy.built-in', /Rules/)
})

test('a later proposal replaces the earlier one and keeps its beginning; one after its end has a beginning of its own', t => {
  const CreateTime = '2025-12-30T00:00:00Z'
  const earlier = given(web, proposed({ CreateTime, CreateIndex: 2, ModifyIndex: 2 }))
  earlier
    .when(policyProposalAggregate, propose())
    .gives(t, [
      `ACLPolicyProposalUpserted ${WEB}`,
      { ACLPolicyProposal: { CreateTime, CreateIndex: 2, ModifyIndex: 3 } }
    ])
  earlier
    .when(policyProposalAggregate, propose({}, WEB, COMMAND_TIME + DAY_MS))
    .gives(t, [
      `ACLPolicyProposalUpserted ${WEB}`,
      { ACLPolicyProposal: { CreateTime: '2026-01-02T00:00:00Z', CreateIndex: 3 } }
    ])
})

test('a promotion updates the policy and ends the proposal in one commit', t =>
  world
    .when(policyProposalAggregate, promote())
    .gives(
      t,
      [
        `ACLPolicyUpserted ${WEB}`,
        { ACLPolicy: { Name: 'web', Rules: NARROW, CreateIndex: 1, ModifyIndex: 4 } }
      ],
      `ACLPolicyProposalPromoted ${WEB}`
    ))

test('a promotion is refused if anything is not as it was reviewed', t => {
  world.when(policyProposalAggregate, promote(2)).refuses(t, 'acl.policy.proposal-changed', /commit 3.*cas 2/)
  world
    .when(policyProposalAggregate, promote(3, COMMAND_TIME + DAY_MS))
    .refuses(t, 'acl.policy.proposal-not-found', /has no proposal/)
  given(web)
    .when(policyProposalAggregate, promote())
    .refuses(t, 'acl.policy.proposal-not-found', /has no proposal/)
  given(web, proposed(), policyFixture(WEB, 'web', { Description: 'new', ModifyIndex: 3 }))
    .when(policyProposalAggregate, promote())
    .refuses(t, 'acl.policy.proposal-outdated', /commit 3 after the proposal/)
  // What an update checks, a promotion checks again.
  given(web, proposed({ Name: 'other' }), other)
    .when(policyProposalAggregate, promote())
    .refuses(t, 'acl.policy.name-taken', /already exists/)
})

test('a proposal ends by withdrawal, by its time, and with its policy', t => {
  const ended = `ACLPolicyProposalDeleted ${WEB}`
  world.when(policyProposalAggregate, command('WithdrawPolicyProposal', { id: WEB })).gives(t, ended)
  given(web)
    .when(policyProposalAggregate, command('WithdrawPolicyProposal', { id: WEB }))
    .refuses(t, 'acl.policy.proposal-not-found', /has no proposal/)
  const expire = (at: number) => command('ExpirePolicyProposals', { ids: [WEB, OTHER] }, { at })
  world.when(policyProposalAggregate, expire(COMMAND_TIME + DAY_MS - 1)).gives(t)
  world.when(policyProposalAggregate, expire(COMMAND_TIME + DAY_MS)).gives(t, ended)
  world.when(policyAggregate, command('DeletePolicy', { id: WEB })).gives(t, ended, `ACLPolicyDeleted ${WEB}`)
})
