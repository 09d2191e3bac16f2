// Datacenters and the audit, as pages show them.
import test from 'ava'
import { openBrowser } from '../../support/browser.js'
import { startDatacenters } from '../../support/datacenters.js'
import { barriers, waitForText, signInTo, show, goTo } from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'
import { secretWith } from '../../http/support.js'

test('datacenters are shown with how far they are away, and how far they follow the primary', async t => {
  const browser = await openBrowser(t)
  if (!browser) return
  const datacenters = await startDatacenters(t, {
    names: ['dc1', 'dc2'],
    remote: (_, to) => (to === 'dc1' ? { token: ROOT } : {})
  })
  const [primary, secondary] = [datacenters.at('dc1'), datacenters.at('dc2')]
  const page = await browser.newPage()
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

test('the audit tells who did what, by token and topic, and what was denied', async t => {
  const shown = await show(t, '/ui/audit', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await page.getByRole('row', { name: 'CreateInitialManagement' }).waitFor()
  await server.send('PUT', '/v1/kv/web/port', {
    body: '8080',
    headers: { 'X-Service-Reason': 'OPS-12' }
  })
  await page.getByLabel('Topic').fill('KV')
  await page.getByRole('button', { name: 'Search' }).click()
  const row = page.getByRole('row', { name: 'SetKey KVSet web/port OPS-12' })
  await row.waitFor()
  await waitForText(t, () => page.getByRole('row').count(), 2)
  t.deepEqual(await barriers(page), [])
  await row.getByRole('link', { name: 'web/port' }).click()
  await page.getByRole('heading', { level: 1, name: 'web/port' }).waitFor()
  await page.goBack()
  await row.waitFor()
  await waitForText(t, () => page.getByLabel('Topic').inputValue(), 'KV')
  t.deepEqual(complaints, [])
  await goTo(page, 'Denials')
  await waitForText(t, () => page.getByRole('alert').innerText(), /audit.denials is off/)
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
  await page.getByRole('row', { name: 'SetKey' }).first().waitFor()
  t.deepEqual(await page.getByRole('link', { name: /port$/ }).allInnerTexts(), ['seen/port'])
})
