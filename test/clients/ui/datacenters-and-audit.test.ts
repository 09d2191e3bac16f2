// Datacenters and the audit, as pages show them.
import test from 'ava'
import { newPage } from '../../support/browser.js'
import { startDatacenters } from '../../support/datacenters.js'
import { barriers, waitForText, signInTo, show, goTo } from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'
import { createToken, secretWith } from '../../http/support.js'

test('datacenters are shown with how far they are away, and how far they follow the primary', async t => {
  const page = await newPage(t)
  if (!page) return
  const datacenters = await startDatacenters(t, {
    names: ['dc1', 'dc2'],
    remote: (_, to) => (to === 'dc1' ? { token: ROOT } : {})
  })
  const [primary, secondary] = [datacenters.at('dc1'), datacenters.at('dc2')]
  await signInTo(page, secondary, ROOT)
  await page.goto(`${secondary.base}/ui/datacenters`)
  await page.getByRole('row', { name: 'dc2 this one secondary 1' }).waitFor()
  const other = page.getByRole('row', { name: 'dc1 primary 1' })
  await waitForText(
    t,
    () => other.getByRole('link').getAttribute('href'),
    `http://127.0.0.1:${primary.gate.port}/ui/`
  )
  const replication = page.getByRole('region', { name: 'Replication to dc2' })
  await replication.getByText('running', { exact: true }).waitFor()
  await replication.getByText('dc1', { exact: true }).waitFor()
  t.deepEqual(await barriers(page), [])
  await signInTo(page, secondary, await secretWith(primary, 'none', 'key "a" { policy = "read" }'))
  await page.goto(`${secondary.base}/ui/datacenters`)
  await page.getByRole('row', { name: 'dc1' }).waitFor()
  await waitForText(t, () => page.getByRole('alert').innerText(), /operator:read/)
})

test('the audit tells who did what, by kind and action, newest first, and what was denied', async t => {
  const shown = await show(t, '/ui/audit', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const lines = page.locator('.timeline li')
  await lines.first().waitFor()
  const set = (body: string) =>
    server.send('PUT', '/v1/kv/web/port', { body, headers: { 'X-Service-Reason': 'OPS-12' } })
  await set('8080')
  await set('8081')
  await server.send('DELETE', '/v1/kv/web/port')
  await page.getByRole('button', { name: '1 hour' }).click()
  await page.getByLabel('Kind').selectOption('key (3)')
  await waitForText(t, () => lines.count(), 3)
  await waitForText(t, () => lines.nth(0).innerText(), /Initial Management Token deleted key web\/port/)
  await waitForText(
    t,
    () => lines.nth(1).innerText(),
    /changed key web\/port\s+Value: 8080 → 8081\s+“?OPS-12/
  )
  const days = await page.locator('main h2').allInnerTexts()
  t.is(new Set(days).size, days.length, 'each day once')
  t.true(days.length === 1 || days.length === 2, 'of the time before midnight and after it')
  await page.getByLabel('Action').selectOption('KVDelete (1)')
  await waitForText(t, () => lines.count(), 1)
  t.deepEqual(await barriers(page), [])
  await lines.getByRole('link', { name: 'web/port' }).click()
  await page.getByRole('heading', { level: 1, name: 'web/port' }).waitFor()
  await page.goBack()
  await waitForText(t, () => page.getByLabel('Kind').inputValue(), 'KV')
  t.deepEqual(complaints, [])
  await goTo(page, 'Denials')
  await page.getByText('Denied attempts are not recorded.').waitFor()
})

test('the audit reads older commits on demand', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server } = shown
  await server.send('PUT', '/v1/kv/oldest', { body: '0' })
  for (let at = 0; at < 600; at++) await server.send('PUT', '/v1/kv/k', { body: String(at) })
  await page.goto(`${server.base}/ui/audit`)
  const lines = page.locator('.timeline li')
  await lines.first().waitFor()
  await waitForText(t, () => page.getByRole('link', { name: 'oldest' }).count(), 0)
  await page.getByRole('button', { name: 'Load more' }).click()
  await page.getByRole('link', { name: 'oldest' }).waitFor()
  await waitForText(t, () => page.getByRole('button', { name: 'Load more' }).count(), 0)
})

test('the audit is for operators, each of whom sees what it may read', async t => {
  const shown = await show(t, '/ui/audit')
  if (!shown) return
  const { page, server } = shown
  await waitForText(t, () => page.getByRole('alert').innerText(), /operator:read/)
  t.deepEqual(await barriers(page), [])
  await server.send('PUT', '/v1/kv/seen/port', { body: '8080' })
  await server.send('PUT', '/v1/kv/hidden/port', { body: '8080' })
  const rules = 'operator = "read"\nkey_prefix "seen/" { policy = "read" }'
  await signInTo(page, server, await secretWith(server, 'looks', rules))
  await page.goto(`${server.base}/ui/audit?topic=KV`)
  await page.getByRole('link', { name: 'seen/port' }).waitFor()
  t.deepEqual(await page.getByRole('link', { name: /\/port$/ }).allInnerTexts(), ['seen/port'])
})

test('the audit says that a token was rotated, not that one was created and another changed', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const { AccessorID } = await createToken(server, { Description: 'deploys' })
  await server.send('PUT', `/v1/acl/token/${AccessorID}/rotate?grace=10m`)
  await page.goto(`${server.base}/ui/audit?topic=ACLToken`)
  const lines = page.locator('.timeline li')
  await waitForText(t, () => lines.nth(0).innerText(), /rotated token deploys(?! and)/)
  await waitForText(t, () => lines.nth(1).innerText(), /created token deploys/)
  t.deepEqual(complaints, [])
})
