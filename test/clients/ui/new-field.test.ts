// A field that a resource definition declares, in the form of the web UI.
import test from 'ava'
import { newPage } from '../../support/browser.js'
import { signInTo } from '../../support/browser-page.js'
import { buildWithField, MEANING } from '../../support/build-with-field.js'
import { startServer } from '../../support/process.js'

test('a form shows the fields of the definition that it does not know, and keeps their values', async t => {
  const page = await newPage(t)
  if (!page) return
  const server = await startServer(t, { main: await buildWithField(t, true) })
  const token = await server.bootstrap()
  await signInTo(page, server, token)
  await page.goto(`${server.base}/ui/policies/new`)
  await page.getByText(MEANING).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('web')
  await page.getByLabel('Owner').fill('ops')
  await page.getByRole('button', { name: 'Create policy' }).click()
  await page.getByRole('heading', { name: 'web' }).waitFor()
  await page.getByLabel('Description', { exact: true }).fill('of web')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  const stored = await fetch(`${server.base}/v1/acl/policy/name/web`, {
    headers: { 'X-Service-Token': token }
  })
  t.like(await stored.json(), { Name: 'web', Owner: 'ops', Description: 'of web' })
})
