// Explanations agree with decisions, and name the rule, its text and its way to the token.
import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import fc from 'fast-check'
import { namespaceUpserted } from '../../../actors/namespace.js'
import { DEFAULT_TENANCY, type Tenancy, type Event } from '../../../events/envelope.js'
import type { Access, Resource } from '../../../projections/acl/authorizer.js'
import { explain, type Explanation } from '../../../projections/acl/explain.js'
import { effectiveRules, type EffectiveRule } from '../../../projections/acl/effective-permissions.js'
import type { AuthorizationQuestion } from '../../../projections/acl/authorize-request.js'
import { PermissionHolders } from '../../../projections/acl/permission-holders.js'
import { subjectOf, type Source, type Subject } from '../../../projections/acl/sources.js'
import type { Rule } from '../../../projections/acl/rules/model.js'
import { readJobPermission } from '../../../projections/stream/required-permissions.js'
import type { Views } from '../../../projections/read-models.js'
import { runAtOnce } from '../../../projections/steps.js'
import { policyFixture, roleFixture, tokenFixture, id } from '../../actors/acl-resources.js'
import { viewsAfter } from '../../support/decision-spec.js'
import { label, labelledRule, question } from './arbitraries.js'
import { runs } from '../../support/property-runs.js'

const TOKEN = id(1)
const TEAM = { partition: 'default', namespace: 'team' }

/** What decides on the token, as the endpoint has it from the read models. */
const subjectIn = (views: Views): Subject => {
  const row = views.tokens.get(TOKEN)
  if (!row) throw new Error('there is no token')
  return subjectOf(row, views)
}

const explained = (
  views: Views,
  resource: Resource,
  access: Access,
  segment: string,
  tenancy = DEFAULT_TENANCY
) => {
  const subject = subjectIn(views)
  return {
    ...explain({ resource, access, segment, tenancy }, subject, views),
    may: subject.authorizer.may(resource, access, segment, tenancy)
  }
}
const linkTo = (n: number) => ({ ID: id(n), Name: '' })

const world: readonly Event[] = [
  policyFixture(id(11), 'web', { Rules: '# rules\nkey_prefix "app/" {\n  policy = "read"\n}' }),
  policyFixture(id(12), 'ops', { Rules: 'operator = "write"' }),
  roleFixture(id(21), 'team', {
    Policies: [linkTo(12), linkTo(11)],
    ServiceIdentities: [{ ServiceName: 'web' }]
  }),
  tokenFixture(TOKEN, 's', {
    Policies: [linkTo(11)],
    Roles: [linkTo(21)],
    NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }]
  })
]

test('a rule is named with its line, its policy and every way to the token', t => {
  const {
    Allowed,
    DecidedBy,
    Rule: rule,
    Source,
    Reason
  } = explained(viewsAfter(world), 'key', 'write', 'app/x')
  t.false(Allowed)
  t.is(DecidedBy, 'rule')
  t.deepEqual(rule, { Text: 'key_prefix "app/"', Level: 'read', Line: 2, Column: 12 })
  t.deepEqual(Source, {
    Kind: 'policy',
    ID: id(11),
    Name: 'web',
    Links: [{ Kind: 'token' }, { Kind: 'role', ID: id(21), Name: 'team' }]
  })
  t.is(
    Reason,
    'The rule key_prefix "app/" in line 2 of policy "web", held by token and role "team", has the level read, which does not grant key:write on "app/x"'
  )
})

test('rules of identities are named by the identity and who holds it', t => {
  const views = viewsAfter(world)
  t.deepEqual(explained(views, 'service', 'write', 'web-sidecar-proxy').Source, {
    Kind: 'service identity',
    Name: 'web',
    Links: [{ Kind: 'role', ID: id(21), Name: 'team' }]
  })
  t.deepEqual(explained(views, 'node', 'write', 'n1').Source, {
    Kind: 'node identity',
    Name: 'n1',
    Links: [{ Kind: 'token' }]
  })
})

test('where no rule concerns the question the default policy is named', t => {
  const { Allowed, DecidedBy, DefaultPolicy, Reason } = explained(viewsAfter(world), 'acl', 'read', '')
  t.like(
    { Allowed, DecidedBy, DefaultPolicy },
    { Allowed: false, DecidedBy: 'default policy', DefaultPolicy: 'deny' }
  )
  t.is(Reason, 'No rule of the token concerns acl:read: the default policy is deny')
})

test('the right on a namespace is explained by the operator right that gives it', t => {
  const { Allowed, Rule: rule, Source } = explained(viewsAfter(world), 'namespace', 'write', '')
  t.true(Allowed)
  t.is(rule?.Text, 'operator')
  t.is(Source?.Name, 'ops')
})

test('the permissions by many rules are collected in steps', t => {
  const labels = Array.from({ length: 1000 }, (_, n) => `key_prefix "${n}/"`)
  const Rules = labels.map(text => `${text} { policy = "read" }`).join('\n')
  const views = viewsAfter([
    policyFixture(id(11), 'long', { Rules }),
    tokenFixture(TOKEN, 's', { Policies: [linkTo(11)] })
  ])
  const steps = effectiveRules(subjectIn(views), views)
  let count = 1
  let step = steps.next()
  for (; !step.done; step = steps.next()) count++
  t.deepEqual(
    step.value.map(({ Text }) => Text),
    labels.toSorted()
  )
  t.true(count > 10, `${count} steps`)
})

test('the permissions of a token are the strongest rules of each resource, with their sources', t => {
  const views = viewsAfter([
    policyFixture(id(11), 'web', {
      Rules: 'service "api" { policy = "write" }\nkey "a" { policy = "read" }'
    }),
    policyFixture(id(12), 'ops', {
      Rules: 'key "a" { policy = "deny" }\nservice "api" { policy = "read" intentions = "write" }'
    }),
    policyFixture(id(13), 'base', { Rules: 'key_prefix "" { policy = "read" }' }),
    policyFixture(id(14), 'elsewhere', { Rules: 'acl = "write"', Datacenters: ['dc2'] }),
    roleFixture(id(21), 'team', { Policies: [linkTo(12)] }),
    namespaceWith({ policies: [13], roles: [] }),
    {
      ...tokenFixture(TOKEN, 's', { Policies: [linkTo(11), linkTo(14)], Roles: [linkTo(21)] }),
      Namespace: 'team'
    }
  ])
  const Rules = runAtOnce(effectiveRules(subjectIn(views), views))
  const web = { Kind: 'policy', ID: id(11), Name: 'web', Links: [{ Kind: 'token' }] } as const
  const ops = {
    Kind: 'policy',
    ID: id(12),
    Name: 'ops',
    Links: [{ Kind: 'role', ID: id(21), Name: 'team' }]
  } as const
  const base = { Kind: 'policy', ID: id(13), Name: 'base', Links: [{ Kind: 'namespace default' }] } as const
  const byDefault = {
    Text: 'key_prefix ""',
    Resource: 'key',
    Level: 'read',
    Partition: 'default',
    Line: 1,
    Column: 12,
    Source: base,
    IsDefault: true
  } as const
  const own = { Namespace: 'default', Partition: 'default' }
  t.deepEqual(Rules, [
    { Text: 'key "a"', Resource: 'key', Level: 'deny', ...own, Line: 1, Column: 5, Source: ops },
    {
      Text: 'service "api"',
      Resource: 'service',
      Level: 'write',
      Intentions: 'write',
      IntentionsFrom: { Line: 2, Column: 9, Source: ops },
      ...own,
      Line: 1,
      Column: 9,
      Source: web
    },
    { ...byDefault, Namespace: 'default' },
    { ...byDefault, Namespace: 'team' }
  ])
})

const textOf = ({ resource, match, label: on, level, intentions }: Rule): string => {
  const settings = `policy = "${level}"${intentions === null ? '' : ` intentions = "${intentions}"`}`
  return `${resource}${match === 'prefix' ? '_prefix' : ''} ${JSON.stringify(on)} { ${settings} }`
}
const policyText = fc.array(labelledRule, { maxLength: 5 }).map(rules => rules.map(textOf).join('\n'))
const indexes = fc.uniqueArray(fc.nat({ max: 3 }), { maxLength: 4 })

const namespaceWith = (defaults: {
  readonly policies: readonly number[]
  readonly roles: readonly number[]
}) =>
  namespaceUpserted('default', {
    Name: 'team',
    ACLs: { PolicyDefaults: defaults.policies.map(linkTo), RoleDefaults: defaults.roles.map(linkTo) },
    CreateIndex: 1,
    ModifyIndex: 1
  })
const NO_LINKS = { direct: [], byRole: [], byDefault: [], byDefaultRole: [] }
type Asked = [readonly ['key', 'read', 'a', Tenancy], Tenancy]
/** A token whose rights come from one link, in each way. The links of a token are in its own namespace. */
const examples = [{ direct: [0] }, { byRole: [0] }, { byDefault: [0] }, { byDefaultRole: [0] }].map(
  (link): [string[], Record<keyof typeof NO_LINKS, number[]>, null, boolean, Asked[]] => {
    const isInTeam = 'byDefault' in link || 'byDefaultRole' in link
    const home = isInTeam ? TEAM : DEFAULT_TENANCY
    const policies = Array.from({ length: 4 }, () => 'key_prefix "" { policy = "write" }')
    return [policies, { ...NO_LINKS, ...link }, null, isInTeam, [[['key', 'read', 'a', home], home]]]
  }
)
const tenancies = fc.constantFrom(DEFAULT_TENANCY, TEAM, { partition: 'default', namespace: 'other' })

/** The explanation of the token as one of all holders; undefined if it is none. */
const explanationAmongHolders = (views: Views, asked: AuthorizationQuestion): Explanation | undefined => {
  const holders = new PermissionHolders(views, asked, 0)
  for (const _ of holders.decideLinks());
  const row = views.tokens.get(TOKEN)
  return row && holders.explanationOf({ kind: 'token', row })
}

/** Whether the rule that decided is listed as one that counts, with the same level and source. */
const isAmong = (
  rights: readonly EffectiveRule[],
  { Text, Level }: NonNullable<Explanation['Rule']>,
  source: Source | undefined
): boolean =>
  rights.some(
    one =>
      (one.Text === Text && one.Level === Level && isDeepStrictEqual(one.Source, source)) ||
      (one.Intentions === Level && isDeepStrictEqual((one.IntentionsFrom ?? one).Source, source))
  )

test('an explanation always agrees with the authorizer and the list of rights, and its rule stands where it says', t => {
  const ways = new Set<string>()
  fc.assert(
    fc.property(
      fc.array(policyText, { minLength: 4, maxLength: 4 }),
      fc.record({ direct: indexes, byRole: indexes, byDefault: indexes, byDefaultRole: indexes }),
      fc.option(label.filter(name => /^[a-z]+$/.test(name))),
      fc.boolean(),
      fc.array(fc.tuple(question, tenancies), { minLength: 1, maxLength: 6 }),
      (texts, links, identity, isInTeam, asked) => {
        const policies = (of: readonly number[]) => of.map(n => linkTo(30 + n))
        const home = isInTeam ? TEAM : DEFAULT_TENANCY
        const views = viewsAfter([
          ...texts.map((Rules, n) => policyFixture(id(30 + n), `p${n}`, { Rules })),
          roleFixture(id(21), 'r', {
            Policies: policies(links.byRole),
            ServiceIdentities: identity === null ? [] : [{ ServiceName: identity }]
          }),
          roleFixture(id(22), 'd', { Policies: policies(links.byDefaultRole) }),
          namespaceWith({ policies: links.byDefault.map(n => 30 + n), roles: [22] }),
          {
            ...tokenFixture(TOKEN, 's', { Policies: policies(links.direct), Roles: [linkTo(21)] }),
            Namespace: home.namespace
          }
        ])
        const rights = runAtOnce(effectiveRules(subjectIn(views), views))
        for (const [[resource, access, segment], where] of asked) {
          const { may, ...explanation } = explained(views, resource, access, segment, where)
          const { Allowed, Rule: rule, Source } = explanation
          t.is(Allowed, may)
          const held = explanationAmongHolders(views, { resource, access, segment, tenancy: where })
          t.deepEqual(held, Allowed ? explanation : undefined)
          if (rule === undefined) continue
          t.true(Source !== undefined && Source.Links.length > 0)
          for (const { Kind } of Source?.Links ?? []) ways.add(Kind)
          t.true(isAmong(rights, rule, Source), `${rule.Text} ${rule.Level}`)
          if (Source?.Kind !== 'policy') continue
          const text = views.policies.get(Source.ID ?? '')?.policy.Rules ?? ''
          t.true(text.split('\n')[(rule.Line ?? 0) - 1]?.startsWith(rule.Text))
        }
        const subject = subjectIn(views)
        for (const [[resource], where] of asked) {
          const all = explain({ resource, access: 'read', segment: null, tenancy: where }, subject, views)
          t.is(all.Allowed, subject.authorizer.mayAll(resource, 'read', where))
          for (const access of ['read', 'write'] as const) {
            const namespace = explain(
              { resource: 'namespace', access, segment: '', tenancy: where },
              subject,
              views
            )
            t.is(namespace.Allowed, subject.authorizer.mayNamespace(access, where))
          }
          const readsJobs = explain(
            { resource: 'namespace', access: 'read-job', segment: '', tenancy: where },
            subject,
            views
          )
          t.is(readsJobs.Allowed, readJobPermission.isMet(subject.authorizer, where))
        }
      }
    ),
    { numRuns: examples.length + runs(500), examples }
  )
  t.deepEqual([...ways].toSorted(), ['namespace default', 'role', 'role of a namespace default', 'token'])
})
