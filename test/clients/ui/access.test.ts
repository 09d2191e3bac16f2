// Tokens, policies and bindings, as the pages show them: what somebody may do, and why.
import test from 'ava'
import { fillEditor, barriers, waitForText, show } from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'
import { pem } from '../../support/stub-provider.js'

const RULES = 'key_prefix "web/" { policy = "write" }'

test('a token has its rights in a table with where each comes from, and tries one', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await server.send('PUT', '/v1/acl/policy', { body: { Name: 'web', Rules: RULES } })
  await server.send('PUT', '/v1/acl/role', { body: { Name: 'ops', Policies: [{ Name: 'web' }] } })
  const made = await server.send('PUT', '/v1/acl/token', { body: { Roles: [{ Name: 'ops' }] } })
  const { AccessorID } = JSON.parse(made.text)
  await page.goto(
    `${server.base}/ui/tokens/one?key=${AccessorID}&ns=default&partition=default&tab=permissions`
  )
  await page.getByRole('row', { name: 'key_prefix "web/" write' }).waitFor()
  await waitForText(
    t,
    () => page.getByRole('region', { name: 'Permissions' }).innerText(),
    /policy web, by role ops, line 1/
  )
  await page.getByLabel('Search in permissions').fill('nothing like it')
  await page.getByText('0 of 1 rules').waitFor()
  await page.getByLabel('Search in permissions').fill('ops')
  await page.getByText('1 of 1 rules').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('other')
  await page.getByRole('button', { name: /^Test/ }).click()
  const explained = page.getByRole('region', { name: 'Explanation' })
  await waitForText(t, () => explained.innerText(), /Denied[^]*key "other" \{ policy = "read" \}/)
  t.deepEqual(await barriers(page), [])
  t.deepEqual(complaints, [])
})

test('a denial is explained by the rule that decided', async t => {
  const shown = await show(t, '/ui/explain', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const policy = { Name: 'web', Rules: 'key "web/secret" { policy = "deny" }' }
  await server.send('PUT', '/v1/acl/policy', { body: policy })
  const made = await server.send('PUT', '/v1/acl/token', { body: { Policies: [{ Name: 'web' }] } })
  const denied = await server.send('GET', '/v1/kv/web/secret', { token: JSON.parse(made.text).SecretID })
  t.is(denied.status, 403)
  await page.getByLabel('Error text (403)').fill(denied.text)
  await page.getByRole('button', { name: 'Explain' }).click()
  const explained = page.getByRole('region', { name: 'Explanation' })
  await waitForText(t, () => explained.innerText(), /key "web\/secret" deny[^]*policy web/)
  t.deepEqual(await barriers(page), [])
  t.deepEqual(complaints, [])
})

test('editing a policy reports its faults while typing', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const made = await server.send('PUT', '/v1/acl/policy', { body: { Name: 'web', Rules: RULES } })
  const { ID } = JSON.parse(made.text)
  await page.goto(`${server.base}/ui/policies/one?key=${ID}&ns=default&partition=default`)
  const editor = page.getByLabel('Rules of the policy')
  await fillEditor(editor, 'key_prefix "web/" { policy = "writ" }')
  await page.getByRole('listitem').filter({ hasText: 'is not one of deny, read, list, write' }).waitFor()
  await page.locator('.cm-lint-marker-error').waitFor()
  t.deepEqual(await barriers(page), [])
  await waitForText(t, () => page.getByRole('button', { name: 'Save' }).isDisabled(), true)
  await fillEditor(editor, 'key_prefix "web/" { policy = "list" }')
  await page.getByText('No errors').waitFor()
  // The keyboard is not caught in the editor.
  await editor.press('Tab')
  t.not(
    await page.evaluate('document.activeElement.shadowRoot?.activeElement?.ariaLabel'),
    'Rules of the policy'
  )
  t.deepEqual(await barriers(page), [])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  t.regex(JSON.parse((await server.send('GET', `/v1/acl/policy/${ID}`)).text).Rules, /list/)
  t.deepEqual(complaints, [])
})

test('claims are tried at an auth method', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const Config = { JWTValidationPubKeys: [pem('ca.pem')], ClaimMappings: { team: 'team' } }
  await server.send('PUT', '/v1/acl/auth-method', { body: { Name: 'ci', Type: 'jwt', Config } })
  await server.send('PUT', '/v1/acl/binding-rule', {
    body: { AuthMethod: 'ci', BindType: 'service', BindName: 'team-${value.team}' }
  })
  await page.goto(`${server.base}/ui/auth-methods/one?key=ci&ns=default&partition=default`)
  await page.getByLabel('Claims').fill('{"team": "web"}')
  await page.getByRole('button', { name: /^Test/ }).click()
  await page.getByText('service team-web').waitFor()
  t.deepEqual(await barriers(page), [])
  t.deepEqual(complaints, [])
})
