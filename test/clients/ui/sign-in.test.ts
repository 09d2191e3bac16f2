// Logging in at /ui: at a real OpenID provider, by a JWT, and leaving again.
import test from 'ava'
import { CLIENT_SECRET, oidcProvider } from '../../support/oidc-provider-server.js'
import { barriers, waitForText, show, goTo } from '../../support/browser-page.js'
import { newPage } from '../../support/browser.js'
import { serverInProcess } from '../../support/server.js'
import { stubProvider } from '../../support/stub-provider.js'

/** The buttons of the provider's pages. The second page has another one, since a click does not wait for it. */
const [LOG_IN, CONTINUE] = ['Sign-in', 'Continue']
/** Refusals are meant, and what the provider's own pages load is theirs. */
const isOurs = (complaint: string): boolean => !complaint.startsWith('Failed to load resource')

test('somebody logs in at a provider, sees who they are, and logs out', async t => {
  const shown = await show(t, '/ui/sign-in')
  if (!shown) return
  const { page, server, complaints } = shown
  const provider = await oidcProvider(t)
  const Config = {
    OIDCDiscoveryURL: provider.issuer,
    OIDCClientID: 'basic',
    OIDCClientSecret: CLIENT_SECRET,
    AllowedRedirectURIs: [`${server.base}/ui/oidc/callback`]
  }
  const method = { Name: 'people', Type: 'oidc', MaxTokenTTL: '1h', Config }
  t.is((await server.send('PUT', '/v1/acl/auth-method', { body: method })).status, 200)
  // Without a rule that gives something, the login is refused, and the page says so.
  await page.getByLabel('Auth method').fill('people')
  await waitForText(t, () => page.getByText('The list is hidden').innerText(), /acl:read/)
  t.deepEqual(await barriers(page), [])
  await page.getByRole('button', { name: 'Sign in with OIDC' }).click()
  await page.locator('[name=login]').fill('alice')
  await page.locator('[name=password]').fill('x')
  await page.getByRole('button', { name: LOG_IN }).click()
  await page.getByRole('button', { name: CONTINUE }).click()
  await page.getByRole('alert').filter({ hasText: 'Permission denied' }).waitFor()
  t.deepEqual(await barriers(page), [])
  await server.send('PUT', '/v1/acl/binding-rule', {
    body: { AuthMethod: 'people', BindType: 'service', BindName: 'web' }
  })
  await page.getByRole('link', { name: 'Try again' }).click()
  await page.getByLabel('Auth method').fill('people')
  await page.getByRole('button', { name: 'Sign in with OIDC' }).click()
  // The provider knows who it is, and asks once more.
  await page.getByRole('button', { name: CONTINUE }).click()
  await page.getByText('by people').waitFor()
  t.false(page.url().includes('code='))
  t.is(await page.evaluate('sessionStorage.length'), 0)
  await page.getByText(/^until /).waitFor()
  t.deepEqual(await barriers(page), [])
  const tokens = async (): Promise<number> => {
    const { text } = await server.send('GET', '/v1/acl/tokens?authmethod=people')
    return JSON.parse(text).length
  }
  t.is(await tokens(), 1)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in', exact: true }).first().waitFor()
  t.is(await tokens(), 0)
  // The refused login is a 403, of which browsers complain.
  t.deepEqual(complaints.filter(isOurs), [])
  // What comes back without having been asked for is no login.
  await page.goto(`${server.base}/ui/oidc/callback?state=x&code=y`)
  await page.getByText('No sign-in was started in this tab').waitFor()
})

test('somebody logs in by a JWT, and a limited token with what it gives', async t => {
  const shown = await show(t, '/ui/sign-in')
  if (!shown) return
  const { page, server, complaints } = shown
  const provider = await stubProvider(t)
  const Config = { OIDCDiscoveryURL: provider.issuer, BoundAudiences: ['annals'] }
  await server.send('PUT', '/v1/acl/auth-method', { body: { Name: 'ci', Type: 'jwt', Config } })
  await server.send('PUT', '/v1/acl/policy', { body: { Name: 'seer', Rules: 'acl = "read"' } })
  await server.send('PUT', '/v1/acl/role', { body: { Name: 'seers', Policies: [{ Name: 'seer' }] } })
  await server.send('PUT', '/v1/acl/binding-rule', {
    body: { AuthMethod: 'ci', BindType: 'role', BindName: 'seers' }
  })
  await page.getByLabel('Auth method').fill('ci')
  await page.getByLabel('JWT').fill(await provider.sign({ sub: 'job', aud: 'another' }))
  await page.getByRole('button', { name: 'Sign in with JWT' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('JWT').fill(await provider.sign({ sub: 'job', aud: 'annals' }))
  await page.getByRole('button', { name: 'Sign in with JWT' }).click()
  await page.getByText('by ci').waitFor()
  await goTo(page, 'Tokens')
  await page.getByRole('grid').getByRole('link', { name: 'token created via login' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in', exact: true }).first().waitFor()
  t.deepEqual(complaints.filter(isOurs), [])
})

test('a new server is set up at the first visit', async t => {
  const page = await newPage(t)
  if (!page) return
  const server = await serverInProcess(t, { config: { acl: { enabled: true, default_policy: 'deny' } } })
  await page.goto(server.base)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  t.is(new URL(page.url()).pathname, '/ui/')
  t.is(await page.getByRole('alert').count(), 0, 'missing permissions are no failures')
  await page.locator('main').getByRole('link', { name: 'Sign in' }).click()
  await page.getByText('annals bootstrap').waitFor()
  t.deepEqual(await barriers(page), [])
  await page.getByRole('button', { name: 'Create management token' }).click()
  const token = await page.getByLabel('Secret', { exact: true }).inputValue()
  const own = await server.send('GET', '/v1/acl/token/self', { token })
  t.regex(own.text, /Bootstrap Token/)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  t.is((await server.send('PUT', '/v1/acl/bootstrap', { token: '' })).status, 403, 'it works once')
  const asked = page.waitForResponse('**/v1/internal/acl/bootstrap')
  await page.goto(`${server.base}/ui/sign-in`)
  await (await asked).finished()
  await page.getByText('With a token').waitFor()
  t.is(await page.getByText('annals bootstrap').count(), 0)
})
