// A change set goes to the datacenter that owns its resources.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { annals } from '../../../support/command-line.js'
import { startDatacenters } from '../../../support/datacenters.js'
import { temporaryFolder } from '../../../support/process.js'
import { ROOT } from '../../../support/server.js'
import { actionsOf, apply, send } from './change-sets.js'

test('policies are applied in the primary datacenter, and keys in the one that is named', async t => {
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'], remote: () => ({ token: 'unknown' }) })
  const [primary, secondary] = [all.at('dc1'), all.at('dc2')]
  const policy = { Kind: 'policy', Name: 'p', Body: { Rules: '' } }
  const key = { Kind: 'key', Name: 'a', Body: { Value: 'MQ==' } }
  const { status, text } = await send(secondary, { Changes: [key, policy] })
  t.is(status, 400)
  t.regex(text, /policy "p" is written in the primary datacenter: send the change set there \(dc=dc1\)/)
  t.is((await secondary.send('GET', '/v1/kv/a')).status, 404)
  t.deepEqual(actionsOf(await apply(t, secondary, { Changes: [policy] }, '?dc=dc1')), ['create policy p'])
  t.truthy(primary.app.views.policies.named({ partition: 'default', namespace: 'default' }, 'p'))
  await apply(t, secondary, { Changes: [key] })
  t.is((await primary.send('GET', '/v1/kv/a')).status, 404)
  t.is((await primary.send('GET', '/v1/kv/a?dc=dc2')).status, 200)
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'a.yaml'), 'policy: {p: {Rules: ""}}')
  const env = { ANNALS_HTTP_ADDR: secondary.base, ANNALS_HTTP_TOKEN: ROOT }
  const planned = await annals(['plan', '-datacenter', 'dc1', folder], env)
  t.is(planned.code, 0, planned.errors + planned.output)
})
