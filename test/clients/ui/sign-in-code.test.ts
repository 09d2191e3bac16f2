// The address that `annals ui` opens.
import test from 'ava'
import { show } from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'

test('a code in the fragment signs in once, and leaves neither code nor secret in the address', async t => {
  const shown = await show(t, '/ui/keys')
  if (!shown) return
  const { page, server } = shown
  await server.send('PUT', '/v1/kv/web/port', { body: '8080' })
  const { text } = await server.send('POST', '/v1/acl/sign-in-code', { token: ROOT })
  const address = `${server.base}/ui/sign-in/code#${JSON.parse(text).Code}`
  await page.goto(address)
  await page.waitForURL(`${server.base}/ui/`)
  await page.goto(`${server.base}/ui/keys`)
  await page.getByRole('link', { name: 'web/' }).waitFor()
  await page.goto(address)
  await page.getByText('the sign-in code is unknown, used or expired').waitFor()
  t.is(page.url(), `${server.base}/ui/sign-in/code`)
})
