// Prepared queries, as the pages show, run and change them.
import test from 'ava'
import { fillEditor, barriers, signInTo, waitForText, show, goTo } from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'

const instance = (node: string, ID: string, Tags: readonly string[]) => ({
  Node: node,
  Address: '10.0.0.1',
  Service: { ID, Service: 'web', Port: 8080, Tags },
  Checks: [{ Name: 'alive', Status: 'passing', ServiceID: ID }]
})

const GEO = {
  Name: 'geo-',
  Template: { Type: 'name_prefix_match', Regexp: '^geo-([a-z]+)$' },
  Service: { Service: '${match(1)}', Tags: ['v1'] }
}

test('a query is created, executed, changed without a conflict, and deleted', async t => {
  const shown = await show(t, '/ui/queries', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await server.send('PUT', '/v1/catalog/register', { body: instance('n1', 'web-1', ['v1']) })
  await page.getByRole('link', { name: 'Create prepared query' }).click()
  const definition = page.getByLabel('Definition', { exact: true })
  await fillEditor(definition, '{"Name": "web-any", "Service": {"Service": "web"}, "Token": "secret"}')
  t.deepEqual(await barriers(page), [])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'web-any' }).waitFor()
  await page.getByText('web-any.query.consul').waitFor()
  await waitForText(t, () => definition.innerText(), /"OnlyPassing": true|"Service": "web"/)
  t.notRegex(await definition.innerText(), /Regexp|null|false/, 'empty fields are absent')
  await fillEditor(definition, '{"Name": "web-any", "Service": {"Service": "web", "Tags": ["v1"]}}')
  const [{ ID }] = JSON.parse((await server.send('GET', '/v1/query')).text)
  await server.send('PUT', `/v1/query/${ID}`, { body: { Name: 'web-any', Service: { Service: 'api' } } })
  const conflict = page.getByRole('group', { name: 'Conflict' })
  await waitForText(t, () => conflict.innerText(), /Before \+ Theirs[^]*api[^]*Before \+ Yours[^]*v1/)
  await conflict.getByRole('button', { name: 'Keep your version' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  const stored = async () => JSON.parse((await server.send('GET', `/v1/query/${ID}`)).text)[0]
  await waitForText(t, async () => (await stored()).Service.Service, 'web')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('row', { name: 'n1 web-1 10.0.0.1:8080 v1 passing dc1' }).waitFor()
  await page.getByText('No failover was needed').waitFor()
  t.deepEqual(await barriers(page), [])
  await page.getByLabel('Limit').fill('x')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('Bad limit').waitFor()
  await page.getByRole('button', { name: 'Delete query' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete query' }).click()
  await page.getByText('Deleted in commit').waitFor()
  t.deepEqual(
    complaints.filter(text => !text.includes('status of 400')),
    []
  )
})

test('a name is tried: which template answers, and what it becomes', async t => {
  const shown = await show(t, '/ui/queries', ROOT)
  if (!shown) return
  const { page, server } = shown
  await server.send('POST', '/v1/query', { body: GEO })
  await page.getByRole('row', { name: 'geo- ${match(1)} template' }).waitFor()
  await page.getByText('Find the query for a name').click()
  await page.getByRole('region', { name: 'Test' }).getByLabel('Name').fill('geo-web')
  await page.getByRole('button', { name: 'Explain' }).click()
  const explained = page.getByRole('group', { name: 'Explanation' })
  await explained.getByText('Resolved service').waitFor()
  await waitForText(
    t,
    () => explained.innerText(),
    /template geo-[^]*Resolved service[^]*match\(1\)[^]*"web"/
  )
  t.deepEqual(await barriers(page), [])
  await page.getByRole('region', { name: 'Test' }).getByLabel('Name').fill('other')
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.getByText('Query not found').waitFor()
})

test('a limited token sees the permitted queries without their tokens, and the missing permission', async t => {
  const shown = await show(t, '/ui/queries')
  if (!shown) return
  const { page, server } = shown
  await page.getByRole('note').filter({ hasText: 'hidden from this token' }).waitFor()
  for (const Name of ['web-any', 'db-any'])
    await server.send('POST', '/v1/query', { body: { Name, Token: 'hush', Service: { Service: 'web' } } })
  await server.send('PUT', '/v1/acl/policy', {
    body: { Name: 'web', Rules: 'query_prefix "web-" { policy = "read" }' }
  })
  const made = await server.send('PUT', '/v1/acl/token', { body: { Policies: [{ Name: 'web' }] } })
  await signInTo(page, server, JSON.parse(made.text).SecretID)
  await goTo(page, 'Prepared queries')
  await page.getByRole('link', { name: 'web-any' }).waitFor()
  await waitForText(t, () => page.getByRole('row').count(), 1 + 1)
  await page.getByRole('link', { name: 'web-any' }).click()
  await page.getByText('The token is hidden').waitFor()
  t.false((await page.content()).includes('hush'))
  await page.getByText('Changes require query:write on "web-any"').waitFor()
  await waitForText(t, () => page.getByRole('button', { name: 'Delete query' }).isDisabled(), true)
  t.true(await page.getByRole('button', { name: 'Run', exact: true }).isEnabled())
})
