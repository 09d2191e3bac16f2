// The use of rights in several datacenters.
import test from 'ava'
import { createToken } from '../../../http/support.js'
import { startDatacenters } from '../../../support/datacenters.js'
import { until } from '../../../support/wait.js'

interface Usage {
  readonly Coverage: object
  readonly Links: readonly { readonly Name: string; readonly State: string }[]
  readonly Rules: readonly {
    readonly Text: string
    readonly State: string
    readonly UsedBy: readonly object[]
  }[]
}

test('the use of rights is collected from other datacenters, and decided by the rights there', async t => {
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'] })
  const [dc1, dc2] = [all.at('dc1'), all.at('dc2')]
  const policy = async (body: object): Promise<string> =>
    JSON.parse((await dc1.send('PUT', '/v1/acl/policy', { body })).text).ID
  const app = await policy({
    Name: 'app',
    Rules: 'key "a" { policy = "write" } key "b" { policy = "write" }'
  })
  const there = await policy({ Name: 'there', Rules: 'key "c" { policy = "write" }', Datacenters: ['dc2'] })
  const { SecretID: token, AccessorID } = await createToken(dc1, { Policies: [{ ID: app }, { ID: there }] })
  const write = (key: string) => dc2.send('PUT', `/v1/kv/${key}`, { body: 'x', token })
  await until('dc2 knows the rights', async () => (await write('c')).status === 200)
  t.is((await write('a')).status, 200)
  const usageOf = async (path: string): Promise<Usage> =>
    JSON.parse((await dc1.send('GET', `/v1/acl/${path}/usage?days=0`)).text)

  const usage = await usageOf(`policy/${app}`)
  t.like(usage.Coverage, { Servers: ['server-dc1', 'dc2/server-dc2'], NotHeard: [], IsSufficient: true })
  t.deepEqual(
    usage.Rules.map(({ Text, State }) => [Text, State]),
    [
      ['key "a"', 'used'],
      ['key "b"', 'unused']
    ]
  )
  t.like(usage.Rules[0]?.UsedBy[0], { AccessorID, Datacenter: 'dc2', Count: 1 })
  t.is((await usageOf(`policy/${there}`)).Rules[0]?.State, 'used')

  // The role repeats only in dc1 what the policy gives in dc2.
  const here = await policy({ Name: 'here', Rules: 'key "c" { policy = "write" }', Datacenters: ['dc1'] })
  const role = { Name: 'here', Policies: [{ ID: here }] }
  t.is((await dc1.send('PUT', '/v1/acl/role', { body: role })).status, 200)
  const repeated = { Policies: [{ ID: app }, { ID: there }], Roles: [{ Name: 'here' }] }
  await dc1.send('PUT', `/v1/acl/token/${AccessorID}`, { body: repeated })
  t.deepEqual(
    (await usageOf(`token/${AccessorID}`)).Links.map(({ Name, State }) => [Name, State]),
    [
      ['app', 'used'],
      ['there', 'used'],
      ['here', 'unused']
    ]
  )
  t.is((await dc1.send('PUT', '/v1/kv/b', { body: 'x', token })).status, 200)
  const suggestionOf = async (accessor: string) =>
    JSON.parse((await dc1.send('GET', `/v1/acl/token/${accessor}/suggestion?days=1`)).text)
  t.like(await suggestionOf(AccessorID), {
    Datacenters: ['dc1'],
    Rules: 'key "b" {\n  policy = "write"\n}\n'
  })
  const plain = await createToken(dc1, { Policies: [{ ID: app }] })
  t.is((await suggestionOf(plain.AccessorID)).Datacenters, undefined)

  // What would be denied there, also of a policy that only dc2 has.
  interface Impact {
    readonly Recorded: { readonly Changed: readonly object[]; readonly NotHeard: readonly string[] }
  }
  const impactOf = async (path: string, body: object): Promise<Impact> => {
    const { status, text } = await dc1.send('POST', path, { body })
    t.is(status, 200, text)
    return JSON.parse(text)
  }
  const noRules = (id: string, name: string) =>
    impactOf(`/v1/acl/policy/${id}/impact`, { Name: name, Rules: '' })
  const denied = {
    Answer: 'denied',
    AccessorID,
    Datacenter: 'dc2',
    Resource: 'key',
    Access: 'write',
    Count: 1
  }
  const ofApp = await noRules(app, 'app')
  t.like(ofApp.Recorded, { Denied: 2, Kept: 1, Servers: ['server-dc1', 'dc2/server-dc2'], NotHeard: [] })
  t.like(ofApp.Recorded.Changed, [{ Segment: 'b' }, { ...denied, Segment: 'a' }])
  t.like((await noRules(there, 'there')).Recorded.Changed.at(-1), { ...denied, Segment: 'c' })
  const planned = await dc1.send('POST', '/v1/changes?dry-run&impact', {
    body: { Changes: [{ Kind: 'policy', Name: 'app', Body: { Rules: '' } }] }
  })
  t.is(planned.status, 200, planned.text)
  t.like(JSON.parse(planned.text).Impact.Recorded, { Denied: 2, Servers: ['server-dc1', 'dc2/server-dc2'] })

  await dc2.gate.shut()
  t.deepEqual((await noRules(app, 'app')).Recorded.NotHeard, ['dc2'])
  const alone = await usageOf(`token/${AccessorID}`)
  t.like(alone.Coverage, { Servers: ['server-dc1'], NotHeard: ['dc2'], IsSufficient: false })
})
