// The use of rights in several datacenters.
import test from 'ava'
import { createToken } from '../../../http/support.js'
import { startDatacenters } from '../../../support/datacenters.js'
import { until } from '../../../support/wait.js'

interface Usage {
  readonly Coverage: object
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

  await dc2.gate.shut()
  const alone = await usageOf(`token/${AccessorID}`)
  t.like(alone.Coverage, { Servers: ['server-dc1'], NotHeard: ['dc2'], IsSufficient: false })
})
