// OIDC logins and datacenters (spec: oidc-cases.md §7). A server is one datacenter of its own: requests are not handed on.
import test from 'ava'
import { serverInProcess } from '../../../../support/server.js'
import { field, methodBody, oidc, REDIRECT } from './support.js'

const config = { datacenter: 'dc2', primary_datacenter: 'dc1' }
const replicating = {
  config: { ...config, datacenters: { dc1: { url: 'http://127.0.0.1:1', token: 'replication' } } }
}

test('a secondary datacenter that replicates tokens has methods of its own, whose tokens are local', async t => {
  const { server, put, rule, login } = await oidc(t, replicating)
  await rule({ BindType: 'node', BindName: 'n1' })
  const answer = await login()
  t.is(answer.status, 200, answer.text)
  t.like(JSON.parse(answer.text), { Local: true, NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc2' }] })
  const refused = await put({}, { Name: 'global', TokenLocality: 'global' })
  t.is(refused.status, 400)
  t.regex(refused.text, /'global' can only be used in the primary datacenter/)
  t.is((await server.send('GET', '/v1/acl/auth-method/global')).status, 404)
})

test('without token replication neither the URL nor the callback is given', async t => {
  const server = await serverInProcess(t, { config })
  const bodies = { 'auth-url': { RedirectURI: REDIRECT }, callback: { State: 's', Code: 'c' } }
  for (const [path, body] of Object.entries(bodies)) {
    const answer = await server.send('POST', `/v1/acl/oidc/${path}`, { body: { AuthMethod: 'm', ...body } })
    t.is(answer.status, 400)
    t.regex(answer.text, /Token replication is required for auth methods to function/)
  }
})

test('the server’s own datacenter may be named on both calls, and another one on neither', async t => {
  const { server, give } = await oidc(t)
  const post = (path: string, dc: string, body: object) =>
    server.send('POST', `/v1/acl/oidc/${path}?dc=${dc}`, {
      token: undefined,
      body: { AuthMethod: 'm', ...body }
    })
  const { searchParams } = new URL(
    String(field(await post('auth-url', 'dc1', { RedirectURI: REDIRECT }), 'AuthURL'))
  )
  await give({ nonce: searchParams.get('nonce') })
  const end = { State: searchParams.get('state'), Code: 'code' }
  for (const dc of ['dc2', 'DC1']) {
    for (const answer of [
      await post('auth-url', dc, { RedirectURI: REDIRECT }),
      await post('callback', dc, end)
    ]) {
      t.is(answer.status, 400)
      t.regex(answer.text, /No path to datacenter/)
    }
  }
  // The refusals did not use the state up.
  t.is((await post('callback', 'dc1', end)).status, 200)
})

test('a state of one datacenter is unknown in another with the same method', async t => {
  const here = await oidc(t)
  const there = await serverInProcess(t, replicating)
  const { issuer } = here.provider
  const put = await there.send('PUT', '/v1/acl/auth-method', { body: methodBody(issuer) })
  t.is(put.status, 200, put.text)
  const { state, nonce } = await here.begin()
  await here.give({ nonce })
  const body = { AuthMethod: 'm', State: state, Code: 'code' }
  const answer = await there.send('POST', '/v1/acl/oidc/callback', { token: undefined, body })
  t.is(answer.status, 403)
  t.regex(answer.text, /Expired or missing OAuth state/)
  t.is((await here.callback({ State: state })).status, 200)
})
