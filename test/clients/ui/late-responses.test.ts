// Pages do not show the response to an earlier request in place of what was chosen later.
import test from 'ava'
import type { Page } from 'playwright-core'
import {
  fillEditor,
  goTo,
  holdResponses,
  nextHandled,
  show,
  waitForText
} from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'
import { createPolicy, createToken } from '../../http/support.js'

/** Holds the responses to a path. `released` resolves when the page has handled the first of them. */
const holdPath = async (page: Page, path: RegExp) => {
  let isEnded = false
  const isMeant = ({ pathname }: URL): boolean => path.test(pathname)
  const { requested, release } = await holdResponses(page, url => !isEnded && isMeant(url))
  const handled = nextHandled(page, isMeant)
  return {
    requested,
    /** Holds no further responses. */
    end: (): void => void (isEnded = true),
    released: async (): Promise<void> => {
      release()
      await handled()
    }
  }
}

test('the audit shows what was chosen last, although the response to an earlier choice comes later', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await server.send('PUT', '/v1/kv/port', { body: '8080' })
  const isHeld = ({ pathname, searchParams }: URL): boolean =>
    pathname === '/v1/event/audit' && !searchParams.has('topic')
  const { requested, release } = await holdResponses(page, isHeld)
  const handled = nextHandled(page, isHeld)
  await page.goto(`${server.base}/ui/audit`)
  await requested()
  await page.getByLabel('Kind').selectOption('key (1)')
  const lines = page.locator('.timeline li')
  await lines.first().waitFor()
  release()
  await handled()
  t.is(await lines.count(), 1)
  t.deepEqual(complaints, [])
})

test('the impact of an edit is not shown for a later edit', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const ID = await createPolicy(server, 'web', 'key "a" { policy = "write" }')
  const { requested, released } = await holdPath(page, /impact$/)
  await page.goto(`${server.base}/ui/policies/one?key=${ID}&ns=default&partition=default`)
  const rules = page.getByLabel('Rules of the policy')
  const impact = page.getByRole('region', { name: 'Impact' })
  await fillEditor(rules, 'key "a" { policy = "read" }')
  await page.getByRole('button', { name: 'Show impact' }).click()
  await requested()
  await fillEditor(rules, 'key "a" { policy = "deny" }')
  await released()
  t.is(await impact.count(), 0)
  await page.getByRole('button', { name: 'Show impact' }).click()
  await impact.waitFor()
  t.deepEqual(complaints, [])
})

test('permissions are shown of the token that was chosen last, although the response for an earlier one comes later', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await server.send('PUT', '/v1/kv/port', { body: '8080' })
  const ID = await createPolicy(server, 'ports', 'key "port" { policy = "read" }')
  await createToken(server, { Description: 'deploys' })
  await createToken(server, { Description: 'watches', Policies: [{ ID }] })
  await page.goto(`${server.base}/ui/keys/one?key=port&ns=default&partition=default&tab=permissions`)
  const choose = async (token: string): Promise<void> => {
    await page.getByRole('combobox', { name: 'Token', exact: true }).fill(token)
    await page.getByRole('option', { name: token }).click()
  }
  const { requested, end, released } = await holdPath(page, /explain$/)
  await choose('deploys')
  await requested()
  end()
  await choose('watches')
  await page.getByRole('heading', { name: 'watches: read' }).waitFor()
  const before = await page.locator('main').innerText()
  await released()
  t.is(await page.locator('main').innerText(), before)
  t.deepEqual(complaints, [])
})

test('the test of a permission is not shown for a permission that was chosen later', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const { AccessorID } = await createToken(server)
  await page.goto(`${server.base}/ui/tokens/one?key=${AccessorID}&tab=permissions`)
  const { requested, released } = await holdPath(page, /explain$/)
  const button = page.getByRole('button', { name: 'Test permission' })
  await button.click()
  await requested()
  await page.getByLabel('Access', { exact: true }).and(page.locator('select')).selectOption('write')
  await released()
  const result = page.getByRole('region', { name: 'Explanation' })
  t.is(await result.count(), 0)
  await button.click()
  await result.waitFor()
  t.deepEqual(complaints, [])
})

test('a redirect to the newest commit does not replace a commit that was chosen later', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await server.send('PUT', '/v1/kv/port', { body: '8080' })
  await page.goto(`${server.base}/ui/policies`)
  const { requested, released } = await holdPath(page, /moment$/)
  await page.getByRole('button', { name: 'Time travel' }).click()
  await page.getByRole('button', { name: 'Newest commit' }).click()
  await requested()
  await page.getByLabel('Time or commit').fill('2')
  await page.getByRole('button', { name: 'Go' }).click()
  await page.getByText('State after commit 2').waitFor()
  await released()
  t.is(new URL(page.url()).searchParams.get('at'), '2')
  t.deepEqual(complaints, [])
})

test('a page does not show the state of the commit before the chosen one', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const ID = await createPolicy(server, 'web', 'key "a" { policy = "read" }')
  await server.send('PUT', `/v1/acl/policy/${ID}`, {
    body: { Name: 'web', Rules: 'key "b" { policy = "read" }' }
  })
  const { Newest } = JSON.parse((await server.send('GET', '/v1/event/moment')).text)
  const address = `${server.base}/ui/policies/one?key=${ID}&ns=default&partition=default`
  await page.goto(`${address}&at=${Newest - 1}`)
  const rules = page.getByLabel('Rules of the policy')
  await rules.getByText('"a"').waitFor()
  const { requested, released } = await holdPath(page, /\/v1\/acl\/policy\//)
  await page.getByRole('button', { name: 'One commit forward' }).click()
  await requested()
  await waitForText(t, () => rules.getByText('"a"').count(), 0)
  await released()
  await rules.getByText('"b"').waitFor()
  t.deepEqual(complaints, [])
})

test('a page that was opened during a deletion stays', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const ID = await createPolicy(server, 'web', 'key "a" { policy = "read" }')
  const address = `${server.base}/ui/policies/one?key=${ID}&ns=default&partition=default`
  await page.goto(address)
  await page.getByRole('button', { name: 'Delete policy' }).click()
  const { requested, released } = await holdPath(page, new RegExp(`policy/${ID}$`))
  await page.getByRole('dialog').getByRole('button', { name: 'Delete policy' }).click()
  await requested()
  await page.keyboard.press('Escape')
  await goTo(page, 'Roles')
  await page.getByRole('heading', { name: 'Roles' }).waitFor()
  await released()
  t.is(new URL(page.url()).pathname, '/ui/roles')
  t.deepEqual(complaints, [])
})
