// The review of access control over HTTP.
import { execFileSync } from 'node:child_process'
import test from 'ava'
import { ANONYMOUS_ACCESSOR } from '../../../../events/token.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { createPolicy, createToken } from '../../support.js'
import { isDenied, METHOD, put } from './shared.js'

interface Finding {
  readonly Check: string
  readonly Kind: string
  readonly ID: string
  readonly Name?: string
  readonly Namespace?: string
  readonly Message: string
  readonly Fix: readonly string[]
}

const review = async (server: TestServer, query = '', token?: string) => {
  const answer = await server.send('GET', `/v1/acl/review?${query}`, token === undefined ? {} : { token })
  const findings: readonly Finding[] = answer.status === 200 ? JSON.parse(answer.text) : []
  return { ...answer, findings, names: findings.map(({ Check, Name }) => `${Check} ${Name}`).toSorted() }
}

const ENDING = { ExpirationTTL: '24h' }

test('tokens are found by their last use, their age and a missing expiration', async t => {
  const server = await serverInProcess(t)
  const policy = await createPolicy(server, 'keys', 'key_prefix "" { policy = "read" }')
  const endless = await createToken(server, {
    Description: 'endless',
    Policies: [{ ID: policy }],
    ServiceIdentities: [{ ServiceName: 'web', Datacenters: ['dc1'] }]
  })
  const ending = await createToken(server, { Description: 'ending', ...ENDING })
  const none = await review(server)
  t.is(none.status, 200, none.text)
  t.deepEqual(none.names, [
    'token-without-expiration Initial Management Token',
    'token-without-expiration endless'
  ])
  const fix = none.findings.find(({ Name }) => Name === 'endless')?.Fix
  const ExpirationTTL = /-expires-ttl (\S+)/.exec(fix?.[0] ?? '')?.[1]
  await createToken(server, { ExpirationTTL })
  t.deepEqual(fix, [
    `annals token create -expires-ttl ${ExpirationTTL} -policy-id ${policy} -service-identity web:dc1`,
    `annals token delete ${endless.AccessorID}`
  ])
  const early = await review(server, 'check=unused-token&unused-for=0s')
  t.deepEqual(
    [early.names, early.headers['x-service-warning']],
    [[], 'too little is recorded to decide unused-token']
  )
  const unused = await review(server, 'check=unused-token&unused-for=0s&days=0')
  t.true(unused.names.includes('unused-token ending'))
  t.true(unused.findings.every(({ ID }) => ID !== ANONYMOUS_ACCESSOR))
  t.deepEqual(
    unused.findings.find(({ Name }) => Name === 'ending'),
    {
      Check: 'unused-token',
      Kind: 'token',
      ID: ending.AccessorID,
      Name: 'ending',
      Message: 'The token has no known use',
      Fix: [`annals token delete ${ending.AccessorID}`]
    }
  )
  const management = unused.findings.find(({ Name }) => Name === 'Initial Management Token')
  t.regex(management?.Message ?? '', /^The management token was last used at /)
  const old = await review(server, 'check=old-secret&older-than=0s')
  t.true(old.findings.some(({ Fix }) => Fix[0] === `annals token rotate ${endless.AccessorID}`))
  const rotated = await server.send('PUT', `/v1/acl/token/${endless.AccessorID}/rotate?grace=1h`)
  t.is(rotated.status, 200, rotated.text)
  const after = await review(server, 'check=old-secret&older-than=0s')
  t.false(after.findings.some(({ ID }) => ID === endless.AccessorID))
})

test('roles and policies are found if nothing links to them', async t => {
  const server = await serverInProcess(t)
  const rules = 'key_prefix "" { policy = "read" }'
  const [free, byToken, byRole, byDefault] = [
    await createPolicy(server, 'free', rules),
    await createPolicy(server, 'by-token', rules),
    await createPolicy(server, 'by-role', rules),
    await createPolicy(server, 'by-default', rules)
  ]
  await createToken(server, { Policies: [{ ID: byToken }], ...ENDING })
  const role = await put(server, '/v1/acl/role', { Name: 'unheld', Policies: [{ ID: byRole }] })
  const held = await put(server, '/v1/acl/role', { Name: 'held' })
  await createToken(server, { Roles: [{ ID: held['ID'] }], ...ENDING })
  await put(server, '/v1/acl/role', { Name: 'team-a' })
  await put(server, '/v1/acl/role', { Name: 'of-namespace' })
  await put(server, '/v1/namespace', {
    Name: 'team',
    ACLs: { PolicyDefaults: [{ ID: byDefault }], RoleDefaults: [{ Name: 'of-namespace' }] }
  })
  await put(server, '/v1/acl/auth-method', METHOD)
  await put(server, '/v1/acl/binding-rule', {
    AuthMethod: 'ci',
    BindType: 'role',
    BindName: 'team-${value.team}'
  })
  const links = 'check=role-without-token&check=policy-without-link'
  const found = await review(server, links)
  t.deepEqual(found.names, ['policy-without-link free', 'role-without-token unheld'])
  t.deepEqual(
    found.findings.map(({ Fix }) => Fix).toSorted((a, b) => (a[0] ?? '').localeCompare(b[0] ?? '')),
    [[`annals policy delete -id ${free}`], [`annals role delete -id ${role['ID']}`]]
  )
  await put(server, '/v1/acl/policy?ns=team', { Name: 'of-team', Rules: rules })
  const everywhere = await review(server, `${links}&ns=*`)
  t.deepEqual(everywhere.names, [
    'policy-without-link free',
    'policy-without-link of-team',
    'role-without-token unheld'
  ])
  t.regex(everywhere.findings.find(({ Name }) => Name === 'of-team')?.Fix[0] ?? '', / -namespace team$/)
  const first = await review(server, `${links}&ns=*&limit=2`)
  t.is(first.findings.length, 2)
  const next = /review\?([^>]*)>/.exec(String(first.headers['link']))?.[1] ?? ''
  const second = await review(server, next)
  t.deepEqual([...first.names, ...second.names].toSorted(), everywhere.names)
})

test('a review needs acl:read, and rejects unknown checks and durations', async t => {
  const server = await serverInProcess(t)
  await isDenied(t, server, token => review(server, 'check=unknown', token))
  for (const [query, text] of [
    ['check=unknown', /^Invalid check: "unknown" is none of unused-token, /],
    ['check=unused-token&days=91', /^Invalid days: "91"/],
    ['unused-for=soon', /^Invalid unused-for: "soon" is no duration/],
    ['older-than=-1h', /^Invalid older-than: "-1h" is no duration/]
  ] as const) {
    const refused = await review(server, query)
    t.is(refused.status, 400, query)
    t.regex(refused.text, text)
  }
})

test('recorded questions find management tokens without need, and rules that are too wide', async t => {
  const server = await serverInProcess(t)
  const rules = 'key_prefix "" { policy = "write" } service_prefix "" { policy = "read" }'
  const wide = await createPolicy(server, 'wide', rules)
  const writer = await createToken(server, { Description: 'writer', Policies: [{ ID: wide }], ...ENDING })
  const manager = await createToken(server, {
    Description: 'manager',
    Policies: [{ Name: 'global-management' }],
    ...ENDING
  })
  const checks = 'check=needless-management&check=wide-rule'
  t.deepEqual((await review(server, `${checks}&days=0`)).names, [])
  for (const [key, token] of [
    ['web/port', writer],
    ['web/host', writer],
    ['anything', manager]
  ] as const)
    t.is((await server.send('PUT', `/v1/kv/${key}`, { body: 'x', token: token.SecretID })).status, 200)
  const early = await review(server, checks)
  t.deepEqual(early.names, [])
  t.is(
    early.headers['x-service-warning'],
    'too little is recorded to decide needless-management and wide-rule'
  )
  const found = await review(server, `${checks}&days=0`)
  t.is(found.status, 200, found.text)
  t.is(found.headers['x-service-warning'], undefined)
  t.deepEqual(found.names, ['needless-management manager', 'wide-rule wide'])
  const wideRule = found.findings.find(({ Check }) => Check === 'wide-rule')
  t.deepEqual(wideRule, {
    Check: 'wide-rule',
    Kind: 'policy',
    ID: wide,
    Name: 'wide',
    Message:
      'The rule key_prefix "" in line 1 was used only for names that begin with "web/": key_prefix "web/" is enough',
    Fix: [
      `annals policy read -id ${wide} --json | jq -r .Rules | sed '1s/""/"web\\/"/1' > narrow-${wide.slice(0, 8)}.hcl`,
      `annals policy propose -id ${wide} -rules @narrow-${wide.slice(0, 8)}.hcl`,
      `annals policy proposal -id ${wide}`
    ]
  })
  const [script = ''] = /(?<=sed ')[^']*/.exec(wideRule?.Fix[0] ?? '') ?? []
  const Rules = execFileSync('sed', [script], { input: rules, encoding: 'utf8' })
  t.is(Rules, rules.replace('""', '"web/"'))
  await put(server, `/v1/acl/policy/${wide}/proposal`, { Name: 'wide', Rules })
  const impact = await server.send('GET', `/v1/acl/policy/${wide}/proposal/impact`)
  t.like(JSON.parse(impact.text), { Tokens: 1, Recorded: { Kept: 2, Denied: 0 } })
  t.is(
    found.findings.find(({ Check }) => Check === 'needless-management')?.Fix[0],
    `annals policy suggest -accessor-id ${manager.AccessorID} > needed-${manager.AccessorID.slice(0, 8)}.hcl`
  )
  t.deepEqual((await review(server, checks)).names, [], 'too little is recorded for advice')
  await server.send('PUT', '/v1/kv/shop/port', { body: 'x', token: writer.SecretID })
  await server.send('PUT', '/v1/acl/policy', { body: { Name: 'x', Rules: '' }, token: manager.SecretID })
  t.deepEqual((await review(server, `${checks}&days=0`)).names, [])
})

test('the narrower label of a wide rule ends with a whole character', async t => {
  const server = await serverInProcess(t)
  const policy = await createPolicy(server, 'wide', 'key_prefix "" { policy = "write" }')
  const { SecretID: token } = await createToken(server, { Policies: [{ ID: policy }], ...ENDING })
  const narrowerAfter = async (key: string): Promise<string | undefined> => {
    const { status } = await server.send('PUT', `/v1/kv/${encodeURIComponent(key)}`, { body: 'x', token })
    t.is(status, 200)
    const { findings } = await review(server, 'check=wide-rule&days=0')
    return /: (.*) is enough$/.exec(findings[0]?.Message ?? '')?.[1]
  }
  t.is(await narrowerAfter('a😀'), 'key_prefix "a😀"')
  t.is(await narrowerAfter('a😁'), 'key_prefix "a"')
  t.is(await narrowerAfter('b'), undefined)
})
