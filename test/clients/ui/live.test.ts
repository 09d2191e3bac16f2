// Lists of the pages while they are looked at: in order, by keys, and right again after the connection or the rights were lost.
import test from 'ava'
import type { Page } from 'playwright-core'
import { temporaryFolder } from '../../support/process.js'
import { newPage } from '../../support/browser.js'
import { ROOT, serverInProcess } from '../../support/server.js'
import { barriers, waitForText, show } from '../../support/browser-page.js'
import { startTcpProxy } from '../../support/tcp-proxy.js'
import { until } from '../../support/wait.js'

/** What stands in a column of the rows in view. */
const column = (page: Page, place: number): Promise<readonly string[]> =>
  page.locator(`.body .row > :nth-child(${place})`).allInnerTexts()

/** As somebody who has entered with a token. */
const enteredWith = async (page: Page, token: string): Promise<void> => {
  await page.addInitScript(secret => sessionStorage.setItem('annals-token', secret), token)
}

test('a list is sorted by any column, searched, and gone through by keys', async t => {
  const shown = await show(t, '/ui/policies', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  for (const [Name, Description] of [
    ['a', 'ninth'],
    ['b', 'Eighth'],
    ['c', 'seventh']
  ])
    await server.send('PUT', '/v1/acl/policy', { body: { Name, Description, Rules: '' } })
  await page.getByRole('row', { name: 'c seventh' }).waitFor()
  const head = page.getByRole('columnheader', { name: 'Description' })
  await head.getByRole('button').click()
  await page.locator('[aria-sort=ascending]', { hasText: 'Description' }).waitFor()
  await until('by description', async () => (await column(page, 1)).slice(-3).join() === 'b,a,c')
  await head.getByRole('button').click()
  await until('the other way', async () => (await column(page, 1)).slice(0, 3).join() === 'c,a,b')
  await waitForText(t, () => head.getAttribute('aria-sort'), 'descending')
  // What changes while it is sorted takes its place.
  await server.send('PUT', '/v1/acl/policy', { body: { Name: 'd', Description: 'zero', Rules: '' } })
  await until('the new one', async () => (await column(page, 1))[0] === 'd')

  const list = page.getByRole('grid', { name: 'Policies' })
  const count = Number(await list.getAttribute('aria-rowcount')) - 1
  t.deepEqual(await barriers(page), [])
  await list.focus()
  await page.keyboard.press('End')
  await waitForText(
    t,
    () => page.locator('[aria-selected=true]').getAttribute('aria-rowindex'),
    String(count + 1)
  )
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  await waitForText(t, () => page.locator('[aria-selected=true]').innerText(), /^c/)
  const selected = await page.locator('[aria-selected=true]').getAttribute('id')
  await waitForText(t, () => list.getAttribute('aria-activedescendant'), selected)

  await page.getByLabel('Search in Policies').fill('EIGHTH')
  await page.getByText(`1 of ${count} policies`).waitFor()
  await until('the only one', async () => (await column(page, 1)).join() === 'b')
  await list.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'b' }).waitFor()
  t.deepEqual(complaints, [])
})

test('a list whose server is gone says so, and is right when it is back, from another start of the server, too', async t => {
  const page = await newPage(t)
  if (!page) return
  const dataDir = temporaryFolder(t)
  let server = await serverInProcess(t, { dataDir })
  const gate = await startTcpProxy(t, () => server.port)
  await enteredWith(page, ROOT)
  const make = (Name: string) => server.send('PUT', '/v1/namespace', { body: { Name } })
  const remove = (name: string) => server.send('DELETE', `/v1/namespace/${name}`)
  const tryAgain = (): Promise<void> => page.evaluate('dispatchEvent(new Event("online"))')
  for (const name of ['stays', 'goes']) await make(name)
  await page.goto(`http://127.0.0.1:${gate.port}/ui/namespaces`)
  await page.getByText('3 namespaces', { exact: true }).waitFor()

  await gate.shut()
  await page.getByText(/No connection since .* The data may be stale \(3 namespaces\)/).waitFor()
  await waitForText(t, () => page.getByRole('link', { name: 'stays' }).count(), 1)
  t.deepEqual(await barriers(page), [])
  await remove('goes')
  await make('new')
  await gate.open()
  await tryAgain()
  await page.getByRole('link', { name: 'new' }).waitFor()
  await until('what is gone is gone', async () => (await column(page, 1)).join() === 'default,new,stays')

  await server.close()
  await page.getByText('No connection since').waitFor()
  server = await serverInProcess(t, { dataDir })
  await make('later')
  await tryAgain()
  await page.getByRole('link', { name: 'later' }).waitFor()
  await until('all are there', async () => (await column(page, 1)).join() === 'default,later,new,stays')
})

test('the loss of a permission or token empties a list and is reported', async t => {
  const page = await newPage(t)
  if (!page) return
  const server = await serverInProcess(t)
  const SecretID = '0b6d7b9c-6c0b-4c5e-9a43-8d6a1c1d5a11'
  const may = (name: string) => ({ Policies: [{ Name: name }] })
  const look = { Name: 'look', Rules: 'service "web" { policy = "read" }' }
  await server.send('PUT', '/v1/acl/policy', { body: look })
  const body = { SecretID, ...may('global-management') }
  const { AccessorID } = JSON.parse((await server.send('PUT', '/v1/acl/token', { body })).text)
  for (const Name of ['secret', 'web'])
    await server.send('PUT', '/v1/config', { body: { Kind: 'service-defaults', Name } })
  await enteredWith(page, SecretID)
  await page.goto(`${server.base}/ui/config`)
  await page.getByText('2 configuration entries', { exact: true }).waitFor()
  await server.send('PUT', `/v1/acl/token/${AccessorID}`, { body: may('look') })
  await page.getByText("Resources that require 'service:read' are hidden from this token").waitFor()
  await page.getByText('1 configuration entry visible to this token').waitFor()
  await until('the only one', async () => (await column(page, 1)).join() === 'web')

  await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
  await page.getByText('ACL not found').waitFor()
  await waitForText(t, () => page.getByRole('gridcell').count(), 0)
  t.deepEqual(await barriers(page), [])
})
