// Policies, roles, tokens and auth methods, as people make and change them at /ui.
import test from 'ava'
import type { Page } from 'playwright-core'
import {
  fillEditor,
  barriers,
  signInTo,
  signInWith,
  waitForText,
  show,
  goTo
} from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'
import { pem } from '../../support/stub-provider.js'
import { until } from '../../support/wait.js'

/** Picks one of those that a field offers. */
const pick = async (page: Page, field: string, name: string): Promise<void> => {
  await page.getByRole('combobox', { name: field }).fill(name)
  await page.getByRole('option', { name }).click()
}

test('a denial leads to the policy that allows it, and that to a role and a token with it', async t => {
  const shown = await show(t, '/ui/explain', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const limited = JSON.parse((await server.send('PUT', '/v1/acl/token', { body: {} })).text)
  const denied = await server.send('GET', '/v1/kv/web/port', { token: limited.SecretID })
  await page.getByLabel('Error text (403)').fill(denied.text)
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.getByRole('link', { name: 'Create this policy' }).click()
  await page.getByText('No errors').waitFor()
  t.deepEqual(await barriers(page), [])
  await page.getByLabel('Name', { exact: true }).fill('web-port')
  await page.getByLabel('Reason').fill('for the deploys')
  await page.getByRole('button', { name: 'Create policy' }).click()
  await page.getByRole('heading', { name: 'web-port' }).waitFor()
  await page.getByText('for the deploys').waitFor()

  await page.goto(`${server.base}/ui/roles/new`)
  await page.getByLabel('Name', { exact: true }).fill('deployers')
  await pick(page, 'Add policy', 'web-port')
  await page.getByRole('button', { name: 'Add service' }).click()
  await page.getByLabel('Name of service 1').fill('web')
  t.deepEqual(await barriers(page), [])
  await page.getByRole('button', { name: 'Create role' }).click()
  await page.getByRole('heading', { name: 'deployers' }).waitFor()

  await page.goto(`${server.base}/ui/tokens/new`)
  await page.getByLabel('Description').fill('Deploys')
  await pick(page, 'Add role', 'deployers')
  await page.getByLabel('Expires after').fill('8h')
  await page.getByRole('button', { name: 'Create token' }).click()
  const secret = await page.getByLabel('Secret').inputValue()
  t.is((await server.send('GET', '/v1/kv/web/port', { token: secret })).status, 404)
  t.deepEqual(await barriers(page), [])
  await page.getByRole('link', { name: 'Open token' }).click()
  await page.getByText('in 7 hr.').first().waitFor()
  await page.getByRole('tab', { name: 'Permissions' }).click()
  await page.getByRole('row', { name: 'key "web/port" read' }).waitFor()
  t.deepEqual(await barriers(page), [])

  // A token is edited and cloned; the secret of the clone is shown once.
  await page.getByRole('tab', { name: 'Summary' }).click()
  await page.getByLabel('Description', { exact: true }).fill('Deploys of web')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('button', { name: 'Clone token' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Clone token' }).click()
  const clone = await page.getByLabel('Secret').inputValue()
  t.is((await server.send('GET', '/v1/kv/web/port', { token: clone })).status, 404)

  // A role tells who has it, and is deleted after asking.
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByRole('link', { name: 'deployers', exact: true }).first().click()
  await page.getByRole('heading', { name: '2 tokens' }).waitFor()
  await page.getByRole('link', { name: 'Deploys of web', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete role' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Delete role' }).click()
  await page.getByText('Deleted in commit').waitFor()
  t.deepEqual(complaints, [])
})

test('an auth method and its binding rule are made, and tried with claims', async t => {
  const shown = await show(t, '/ui/auth-methods', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await page.getByRole('link', { name: 'Create auth method' }).click()
  const editor = page.getByLabel('Auth method as JSON')
  await fillEditor(editor, '{"Name": "ci", ')
  await page.locator('.cm-lint-marker-error').waitFor()
  await waitForText(t, () => page.getByRole('button', { name: 'Create auth method' }).isDisabled(), true)
  const Config = { JWTValidationPubKeys: [pem('ca.pem')], ClaimMappings: { team: 'team' } }
  await fillEditor(editor, JSON.stringify({ Name: 'ci', Type: 'jwt', Config }))
  t.deepEqual(await barriers(page), [])
  await page.getByRole('button', { name: 'Create auth method' }).click()
  await page.getByText('There are no binding rules, so every login is denied.').waitFor()
  await page.getByRole('link', { name: 'Create binding rule' }).click()
  await page.getByLabel('Selector').fill('value.team == "web"')
  await page.getByLabel(/^Name\b/).fill('team-${value.team}')
  await page.getByRole('button', { name: 'Create binding rule' }).click()
  await page.getByLabel('Claims', { exact: true }).fill('{"team": "web"}')
  await page.getByRole('button', { name: 'Test claims' }).click()
  await page.getByText('service team-web').waitFor()
  t.deepEqual(await barriers(page), [])
  const { text } = await server.send('GET', '/v1/acl/binding-rules')
  t.is(JSON.parse(text)[0].AuthMethod, 'ci')
  t.deepEqual(complaints, [])
})

test('forms are disabled with read permission, and a missing read permission is reported', async t => {
  const shown = await show(t, '/ui/policies')
  if (!shown) return
  const { page, server } = shown
  await page.getByRole('alert').filter({ hasText: "lacks permission 'acl:read'" }).waitFor()
  t.is(await page.getByRole('alert').filter({ hasText: 'acl:write' }).count(), 0)
  t.regex(
    (await page.getByRole('link', { name: 'Explain', exact: true }).first().getAttribute('href')) ?? '',
    /denial=Perm/
  )
  const policy = { Name: 'seer', Rules: 'acl = "read" operator = "read"' }
  const { ID } = JSON.parse((await server.send('PUT', '/v1/acl/policy', { body: policy })).text)
  const made = await server.send('PUT', '/v1/acl/token', { body: { Policies: [{ ID }] } })
  await signInTo(page, server, JSON.parse(made.text).SecretID)
  await goTo(page, 'Policies')
  await page.getByText(/Live updates require acl:write/).waitFor()
  await page.getByText('Changes require acl:write.').waitFor()
  t.deepEqual(await barriers(page), [])
  await page.getByRole('link', { name: 'seer' }).click()
  await page.getByText('Changes require acl:write').waitFor()
  await waitForText(t, () => page.getByLabel('Name', { exact: true }).isDisabled(), true)
  await waitForText(t, () => page.getByRole('button', { name: 'Delete policy' }).isDisabled(), true)
  await page.getByRole('heading', { name: '1 token' }).waitFor()
  t.deepEqual(await barriers(page), [])
})

test('tokens are listed with their last use, and unused tokens are found', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const make = async (Description: string) =>
    JSON.parse((await server.send('PUT', '/v1/acl/token', { body: { Description } })).text)
  await make('forgotten')
  const used = await make('deploys')
  await server.send('GET', '/v1/acl/token/self', { token: used.SecretID })
  await goTo(page, 'Tokens')
  const row = (name: string) => page.getByRole('row', { name })
  await row('deploys')
    .getByText(/ago|now/)
    .waitFor()
  t.deepEqual(await barriers(page), [])
  await page.getByLabel('Last use').selectOption('unused for an hour')
  await row('deploys').waitFor({ state: 'detached' })
  await row('forgotten').waitFor()
  await page.getByLabel('Last use').selectOption('any last use')
  await row('deploys').waitFor()
  // Those without a known use come first.
  await page.getByRole('columnheader', { name: 'Last used' }).getByRole('button').click()
  await page.locator('[aria-sort=ascending]', { hasText: 'Last used' }).waitFor()
  await until('the order', async () => {
    const names = await page.locator('[role=gridcell]:first-child').allInnerTexts()
    return names.includes('forgotten') && names.indexOf('forgotten') < names.indexOf('deploys')
  })
  t.deepEqual(complaints, [])
})

test('a refusal of the server stands at the field that it names, which takes the focus', async t => {
  const shown = await show(t, '/ui/policies/new', ROOT)
  if (!shown) return
  const { page, server } = shown

  await page.getByLabel('Name', { exact: true }).fill('not a name')
  await page.getByRole('button', { name: 'Create policy' }).click()
  const field = page.locator('label', { has: page.getByLabel('Name', { exact: true }) })
  await field.getByRole('alert').getByText('Only alphanumeric characters').waitFor()
  t.is(await page.getByRole('alert').count(), 1)
  t.is(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid'), 'true')
  await page.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor()
  t.deepEqual(await barriers(page), [])

  await page.goto(`${server.base}/ui/roles/new`)
  await page.getByLabel('Name', { exact: true }).fill('web')
  await page.getByRole('button', { name: 'Add node' }).click()
  await page.getByLabel('Name of node 1').fill('n1')
  await page.getByRole('button', { name: 'Create role' }).click()
  const nodes = page.getByRole('group', { name: 'Node identities' })
  await nodes.getByRole('alert').getByText('missing the datacenter field').waitFor()

  await page.goto(`${server.base}/ui/tokens/new`)
  await page.getByLabel('Expires after').fill('1s')
  await page.getByRole('button', { name: 'Create token' }).click()
  const life = page.locator('label', { has: page.getByLabel('Expires after') })
  await life.getByRole('alert').getByText('cannot be less than').waitFor()

  await page.goto(`${server.base}/ui/intentions`)
  await page.getByRole('button', { name: 'Create intention' }).click()
  await page.getByLabel('Source', { exact: true }).fill('*api')
  await page.getByLabel('Destination', { exact: true }).fill('web')
  await page.getByRole('button', { name: 'Save' }).click()
  const source = page.locator('label', { has: page.getByLabel('Source', { exact: true }) })
  await source.getByRole('alert').getByText('not for a part').waitFor()
})

test('what a form creates replaces nothing of the same name', async t => {
  const shown = await show(t, '/ui/namespaces/new', ROOT)
  if (!shown) return
  const { page, server } = shown
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team-a', Description: 'Of team A' } })
  await page.getByRole('textbox', { name: 'Name' }).fill('Team-A')
  await page.getByRole('button', { name: 'Create namespace' }).click()
  const name = page.locator('label', { has: page.getByRole('textbox', { name: 'Name' }) })
  await name.getByRole('alert').getByText('Name "team-a" is taken').waitFor()
  t.is(JSON.parse((await server.send('GET', '/v1/namespace/team-a')).text).Description, 'Of team A')

  const exact = '/v1/connect/intentions/exact?source=api&destination=web'
  await server.send('PUT', exact, { body: { Action: 'deny' } })
  await page.goto(`${server.base}/ui/intentions`)
  await page.getByRole('button', { name: 'Create intention' }).click()
  await page.getByLabel('Source', { exact: true }).fill('api')
  await page.getByLabel('Destination', { exact: true }).fill('web')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('There is an intention from api to web').waitFor()
  t.is(JSON.parse((await server.send('GET', exact)).text).Action, 'deny')
})

test('empty lists of configuration entries and intentions name the permission that reading requires', async t => {
  const shown = await show(t, '/ui/sign-in')
  if (!shown) return
  const { page, server } = shown
  await server.send('PUT', '/v1/config', {
    body: { Kind: 'service-defaults', Name: 'web', Protocol: 'http' }
  })
  await signInWith(page, server, 'operator = "read"')
  await goTo(page, 'Configuration entries')
  await page.getByText('requires service:read on its name').waitFor()
  await goTo(page, 'Intentions')
  await page.getByText('requires intention:read on its source or destination').waitFor()
  t.deepEqual(await barriers(page), [])
})
