// The holders of a permission, the impact of an edited role and the review of access control, as people see them at /ui.
import test from 'ava'
import { barriers, fillEditor, show, waitForText } from '../../support/browser-page.js'
import { ROOT, type TestServer } from '../../support/server.js'

const put = async (server: TestServer, path: string, body: unknown): Promise<Record<string, string>> => {
  const { status, text } = await server.send('PUT', path, { body })
  if (status !== 200) throw new Error(`${path} was answered ${status} ${text}`)
  return JSON.parse(text)
}

test('a key shows who can write it, an edited role what its tokens lose, and the review what nothing uses', async t => {
  const shown = await show(t, '/ui/review', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await put(server, '/v1/acl/policy', { Name: 'writers', Rules: 'key_prefix "web/" { policy = "write" }' })
  await put(server, '/v1/acl/policy', { Name: 'idle', Rules: '' })
  const role = await put(server, '/v1/acl/role', { Name: 'deployers', Policies: [{ Name: 'writers' }] })
  await put(server, '/v1/acl/token', { Description: 'Deploys', Roles: [{ Name: 'deployers' }] })
  await server.send('PUT', '/v1/kv/web/port', { body: 'x' })

  await page.reload()
  await page.getByRole('row', { name: 'policy idle' }).getByText('annals policy delete -id').waitFor()
  await page.getByText('too little is recorded to decide unused tokens').waitFor()
  t.deepEqual(await barriers(page), [])

  await page.goto(`${server.base}/ui/keys/one?key=${encodeURIComponent('web/port')}`)
  await page.getByRole('tab', { name: 'Permissions' }).click()
  await page.getByLabel('Who can').selectOption('write')
  const deploys = page.getByRole('row', { name: 'token Deploys' })
  await deploys.getByText('key_prefix "web/" write').waitFor()
  await deploys.getByRole('link', { name: 'policy writers, by role deployers' }).waitFor()
  t.deepEqual(await barriers(page), [])

  await page.goto(`${server.base}/ui/roles/one?key=${role['ID']}`)
  await page.getByRole('button', { name: /Remove .*writers/ }).click()
  await page.getByRole('button', { name: 'Show impact' }).click()
  const impact = page.getByRole('region', { name: 'Impact' })
  await impact.getByText('token Deploys').waitFor()
  await impact.getByRole('row', { name: 'key_prefix "web/"' }).getByText('write').first().waitFor()
  t.deepEqual(await barriers(page), [])

  const { AccessorID, SecretID: token = '' } = await put(server, '/v1/acl/token', {
    Roles: [{ Name: 'deployers' }]
  })
  await server.send('GET', '/v1/kv/web/port', { token })
  await page.goto(`${server.base}/ui/tokens/one?key=${AccessorID}`)
  await page.getByRole('tab', { name: 'Usage' }).click()
  await page
    .getByRole('row', { name: 'key_prefix "web/" write' })
    .getByText('used', { exact: true })
    .waitFor()
  await page.getByRole('link', { name: 'role deployers' }).waitFor()
  t.deepEqual(await barriers(page), [])
  t.deepEqual(complaints, [])
})

test('edits of a policy are proposed, reviewed with their impact, and promoted', async t => {
  const shown = await show(t, '/ui/policy-proposals', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const { ID } = await put(server, '/v1/acl/policy', {
    Name: 'web',
    Rules: 'key_prefix "" { policy = "write" }'
  })
  const { SecretID: token = '' } = await put(server, '/v1/acl/token', { Policies: [{ ID }] })
  t.is((await server.send('PUT', '/v1/kv/web/port', { body: 'x', token })).text, 'true')

  await page.goto(`${server.base}/ui/policies/one?key=${ID}&ns=default&partition=default`)
  await fillEditor(page.getByLabel('Rules of the policy'), 'key_prefix "" { policy = "read" }')
  await page.getByRole('button', { name: 'Propose' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click()
  await page.getByRole('deletion').getByText('write').waitFor()
  await page.getByRole('row', { name: 'key:write web/port' }).getByText('denied').waitFor()
  t.deepEqual(await barriers(page), [])
  t.regex(JSON.parse((await server.send('GET', `/v1/acl/policy/${ID}`)).text).Rules, /write/)

  await put(server, `/v1/acl/policy/${ID}/proposal`, {
    Name: 'web',
    Rules: 'key_prefix "web/" { policy = "read" }'
  })
  await page.reload()
  await page.getByRole('tab', { name: 'History' }).click()
  await waitForText(t, () => page.locator('summary').count(), 2)
  await page.locator('summary').last().click()
  await page.getByRole('link', { name: 'Time travel to this commit' }).waitFor()
  t.is(await page.getByRole('button', { name: /^Restore/ }).count(), 0)
  await page.goto(`${server.base}/ui/policies/one?key=${ID}&ns=default&partition=default`)
  await page.getByRole('link', { name: 'Other rules are proposed' }).click()
  await page.getByRole('button', { name: 'Withdraw' }).waitFor()

  await page.goto(`${server.base}/ui/policy-proposals`)
  await page.getByRole('link', { name: 'web', exact: true }).click()
  await page.getByRole('button', { name: 'Promote' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click()
  await page.getByRole('button', { name: 'Delete policy' }).waitFor()
  t.is(await page.getByRole('link', { name: 'Other rules are proposed' }).count(), 0)
  t.regex(JSON.parse((await server.send('GET', `/v1/acl/policy/${ID}`)).text).Rules, /read/)
  t.is((await server.send('GET', '/v1/acl/policy-proposals')).text, '[]')
  t.deepEqual(complaints, [])
})
