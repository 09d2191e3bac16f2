import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { run } from '../../../server/commands/run.js'
import { freePort } from '../../support/process.js'
import { oidc } from '../../http/routes/acl/oidc/support.js'

/** A login that has shown its URL, and waits for the browser. */
const begun = async (t: ExecutionContext) => {
  const kit = await oidc(t)
  const address = `127.0.0.1:${await freePort()}`
  const redirect = `http://${address}/oidc/callback`
  await kit.put({ AllowedRedirectURIs: [redirect] })
  const [out, err] = [new PassThrough(), new PassThrough()]
  const env = { ANNALS_HTTP_ADDR: kit.server.base }
  const args = ['login', '-method', 'm', '-type=oidc', '--oidc-callback-listen-addr', address]
  const ended = run(args, { env, in: Readable.from([]), out, err })
  const errors: string[] = []
  err.on('data', chunk => errors.push(String(chunk)))
  await once(err, 'data')
  const url = new URL(/\bhttp\S+/.exec(errors.join(''))?.[0] ?? '')
  const back = async (query: Readonly<Record<string, string>>) =>
    (await fetch(`${redirect}?${new URLSearchParams(query).toString()}`)).text()
  return { ...kit, ended, out, errors, url, back }
}

test('a login with a browser gives the token when the browser comes back', async t => {
  const { ended, out, url, back, give } = await begun(t)
  await give({ nonce: url.searchParams.get('nonce') ?? '' })
  const said = await back({ state: url.searchParams.get('state') ?? '', code: 'code' })
  t.is(said, 'You are logged in. This page can be closed.\n')
  t.is(await ended, 0)
  out.end()
  t.regex(await text(out), /^AccessorID: [^]*\nAuth Method: +m\n[^]*\n {3}web \(Datacenters: all\)\n$/)
})

test('what the provider says against it ends the login', async t => {
  const { ended, errors, back } = await begun(t)
  const said = await back({ error: 'access_denied', error_description: 'not today' })
  t.is(said, 'The login failed: the provider refused: not today\n')
  t.is(await ended, 1)
  t.is(errors.at(-1), 'annals: the provider refused: not today\n')
})
