// The holders of a permission, the impact of an edited role and the review of access control, as people see them at /ui.
import test from 'ava'
import { barriers, show } from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'

test('a key shows who can write it, an edited role what its tokens lose, and the review what nothing uses', async t => {
  const shown = await show(t, '/ui/review', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const put = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const { status, text } = await server.send('PUT', path, { body })
    if (status !== 200) throw new Error(`${path} was answered ${status} ${text}`)
    return JSON.parse(text)
  }
  await put('/v1/acl/policy', { Name: 'writers', Rules: 'key_prefix "web/" { policy = "write" }' })
  await put('/v1/acl/policy', { Name: 'idle', Rules: '' })
  const role = await put('/v1/acl/role', { Name: 'deployers', Policies: [{ Name: 'writers' }] })
  await put('/v1/acl/token', { Description: 'Deploys', Roles: [{ Name: 'deployers' }] })
  await server.send('PUT', '/v1/kv/web/port', { body: 'x' })

  await page.reload()
  await page.getByRole('row', { name: 'policy idle' }).getByText('annals policy delete -id').waitFor()
  t.deepEqual(await barriers(page), [])

  await page.goto(`${server.base}/ui/keys/one?key=${encodeURIComponent('web/port')}`)
  await page.getByRole('tab', { name: 'Permissions' }).click()
  await page.getByLabel('Who can').selectOption('write')
  await page.getByRole('row', { name: 'token Deploys' }).getByText('key_prefix "web/" write').waitFor()
  t.deepEqual(await barriers(page), [])

  await page.goto(`${server.base}/ui/roles/one?key=${role['ID']}`)
  await page.getByRole('button', { name: /Remove .*writers/ }).click()
  await page.getByRole('button', { name: 'Show impact' }).click()
  const impact = page.getByRole('region', { name: 'Impact' })
  await impact.getByText('token Deploys').waitFor()
  await impact.getByRole('row', { name: 'key_prefix "web/"' }).getByText('write').first().waitFor()
  t.deepEqual(await barriers(page), [])

  const { AccessorID, SecretID: token = '' } = await put('/v1/acl/token', { Roles: [{ Name: 'deployers' }] })
  await server.send('GET', '/v1/kv/web/port', { token })
  await page.goto(`${server.base}/ui/tokens/one?key=${AccessorID}`)
  await page.getByRole('tab', { name: 'Usage' }).click()
  await page
    .getByRole('row', { name: 'key_prefix "web/" write' })
    .getByText('used', { exact: true })
    .waitFor()
  t.deepEqual(await barriers(page), [])
  t.deepEqual(complaints, [])
})
